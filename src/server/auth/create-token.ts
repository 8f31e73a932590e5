import { randomBytes } from 'node:crypto';
import { RollstreamError } from '../../errors.ts';
import type { Role } from './caller.ts';
import { digestOf } from './known-tokens.ts';
import type { KeptToken, TokenFile } from './token-file.ts';

/** What a token is made for. */
export interface TokenWish {
  readonly role: Role;
  readonly name: string;
  /** null: all. */
  readonly runs: readonly string[] | null;
  /** null: it does not end by itself. */
  readonly expiresMs: number | null;
}

const PREFIX = 'rs_';

/** The token, which is told once and kept nowhere, and the file with its digest. */
export function createToken(
  file: TokenFile,
  wish: TokenWish,
  nowMs: number,
): { readonly file: TokenFile; readonly result: { readonly token: string; readonly kept: KeptToken } } {
  const token = `${PREFIX}${randomBytes(32).toString('base64url')}`;
  const kept: KeptToken = {
    id: randomBytes(6).toString('hex'),
    name: wish.name,
    role: wish.role,
    runs: wish.runs,
    sha256: digestOf(token).toString('hex'),
    created_at: new Date(nowMs).toISOString(),
    expires_at: wish.expiresMs === null ? null : new Date(nowMs + wish.expiresMs).toISOString(),
    revoked_at: null,
  };
  return { file: { ...file, tokens: [...file.tokens, kept] }, result: { token, kept } };
}

/** RS_NOT_FOUND names no other; one that was revoked stays so since then. */
export function revokeToken(
  file: TokenFile,
  id: string,
  nowMs: number,
): { readonly file: TokenFile; readonly result: KeptToken } {
  const found = file.tokens.find((token) => token.id === id);
  if (found === undefined)
    throw new RollstreamError('RS_NOT_FOUND', `no token has the id ${id}: see rollstream tokens list`, {
      facts: { field: 'id' },
    });
  const revoked = { ...found, revoked_at: found.revoked_at ?? new Date(nowMs).toISOString() };
  return {
    file: { ...file, tokens: file.tokens.map((token) => (token === found ? revoked : token)) },
    result: revoked,
  };
}
