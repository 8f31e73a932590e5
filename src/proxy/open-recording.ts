import type { Recording, RecordingOptions } from './record/port.ts';

/** Starts the thread that makes events of calls. Throws where its folder cannot be used. */
export type OpenRecording = (options: RecordingOptions) => Promise<Recording>;
