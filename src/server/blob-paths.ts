const failure = { $ref: '#/components/responses/Error' };
const bytes = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
const named = { name: 'sha256', in: 'path', required: true, schema: { type: 'string', pattern: '^[0-9a-f]{64}$' } };
const text = (name: string, description: string) => ({
  ...{ name, in: 'query', schema: { type: 'string' }, description },
});

/** Of the OpenAPI document: bytes by their SHA-256. */
export const BLOB_PATHS = {
  '/v1/blobs/{sha256}': {
    get: {
      summary: 'The bytes of a reference (segments_ref, aux), checked',
      parameters: [named],
      responses: { 200: { description: 'bytes', content: bytes }, 404: failure, default: failure },
    },
    put: {
      summary: 'Keeps bytes for an aux_ref, which names them as blob:<sha256>',
      parameters: [
        named,
        text('shape', 'sizes with commas between; refused unless the bytes are of that length'),
        text('dtype', 'element type, beside shape'),
      ],
      requestBody: { required: true, content: bytes },
      responses: {
        200: {
          description: 'on disk: {uri, sha256, length}; the same again is the same',
          content: { 'application/json': { schema: { type: 'object' } } },
        },
        400: failure,
        default: failure,
      },
    },
  },
};
