/** PEM files, as they were read. */
export interface TlsFiles {
  readonly ca: Buffer | null;
  /** Either both or none. */
  readonly cert: Buffer | null;
  readonly key: Buffer | null;
}

/** The services of the distributed mode. */
export interface ServicesConfig {
  readonly kafka: {
    readonly brokers: readonly string[];
    readonly clientId: string;
    /** null: no TLS. */
    readonly tls: TlsFiles | null;
    readonly sasl: {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
      readonly username: string;
      readonly password: string;
    } | null;
    /** null: as the cluster says. */
    readonly replicationFactor: number | null;
    readonly longestOutageMs: number;
  };
  readonly registry: {
    readonly url: string;
    readonly username: string | null;
    readonly password: string | null;
    readonly tls: TlsFiles;
  };
  readonly clickhouse: {
    readonly url: string;
    readonly user: string;
    readonly password: string;
    readonly tls: TlsFiles;
  };
}
