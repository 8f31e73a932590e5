/** What is where in a data folder. There is data in it once the log exists. */
export const LOG_FOLDER = 'log';
export const REGISTRY_FOLDER = 'registry';
export const STORE_FOLDER = 'store';
/** Where nothing else is configured (blobs.folder). */
export const BLOB_FOLDER = 'blobs';
/** Where nothing else is configured (http.tokens_file). */
export const TOKENS_FILE = 'tokens.json';
