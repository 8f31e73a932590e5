import { RollstreamError } from '../errors.ts';

/** `127.0.0.1:8200`, `[::1]:8200` or a port alone. */
export function listenOf(text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, digits = ''] = /^(?:(?:\[([0-9a-fA-F:]+)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535)
    throw new RollstreamError('RS_USAGE', `--listen ${text}: expected an address and a port, such as 127.0.0.1:8200`, {
      facts: { field: 'listen' },
    });
  return { host: bracketed ?? plain ?? '127.0.0.1', port };
}
