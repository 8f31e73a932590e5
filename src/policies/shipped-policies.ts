import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { packageFile } from '../config/package-file.ts';

const FOLDER = ['processors', 'decide', 'policies'] as const;

/** Names of the policies that are shipped: `policy_file` may be one of them. */
export function shippedPolicies(): string[] {
  return readdirSync(packageFile(...FOLDER))
    .flatMap((name) => /^(.+)\.yaml$/.exec(name)?.[1] ?? [])
    .sort();
}

export function shippedPolicyFile(name: string): string {
  return packageFile(...FOLDER, `${name}.yaml`);
}

/** The file of a policy: one of that name, else the shipped one of that name. */
export function policyFileOf(cwd: string, nameOrFile: string): string {
  const file = resolve(cwd, nameOrFile);
  if (existsSync(file) || !/^[a-z0-9-]+$/.test(nameOrFile)) return file;
  return shippedPolicies().includes(nameOrFile) ? shippedPolicyFile(nameOrFile) : file;
}
