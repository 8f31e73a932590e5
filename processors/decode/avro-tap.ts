/** avsc's cursor: reading and writing past the end is silent, `pos` beyond `buf` says so afterwards. */
export interface Tap {
  buf: Buffer;
  pos: number;
  readLong(): number;
  readString(): string | undefined;
  writeLong(value: number): void;
  writeString(value: string): void;
  writeBytes(value: Buffer): void;
  _invalidate(): void;
}

// avsc lets its types be replaced (typeHook), but declares none of the methods that a replacement overrides.
declare module 'avsc' {
  interface Type {
    _read(tap: Tap): unknown;
    _skip(tap: Tap): void;
    _write(tap: Tap, value: unknown): void;
    _check(value: unknown, flags: unknown, hook: ((value: unknown, type: Type) => void) | undefined): boolean;
  }

  namespace types {
    interface RecordType {
      /** Asked once, while the type is made. */
      _createWriter(): (tap: Tap, value: unknown) => void;
    }
  }
}
