import type { SerializedError } from './database/thread/messages.js'

/** A failure of the store, with a message for the operator. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure'
  /** The database's error code, `SQLITE_…` or `POSTGRES_…` with its SQLSTATE; undefined if no database failed. */
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }

  /** True if the failure may end by itself, or after a repair of the disk. */
  get isTransient(): boolean {
    return /^(SQLITE|POSTGRES)/.test(this.code ?? '') && !this.isRefusal
  }

  /** True if only the written value is at fault. */
  get isRefusal(): boolean {
    return /^(SQLITE_CONSTRAINT|POSTGRES_2[23])/.test(this.code ?? '')
  }
}

const knownFailures: readonly (readonly [code: string, advice: string])[] = [
  ['SQLITE_FULL', 'The disk is full. Make room on it: calls are refused until their records can be written'],
  ['SQLITE_IOERR', 'The disk could not be read or written. Check the disk and its quota: calls are refused until it works'],
  ['SQLITE_READONLY', 'The data directory is read-only. Make it writable: calls are refused until their records can be written'],
  [
    'SQLITE_CANTOPEN',
    'The files of the data directory cannot be opened. Check that they exist and that the gateway may write them',
  ],
  ['SQLITE_BUSY', 'Another program has locked the database. Close that program'],
  ['SQLITE_CORRUPT', 'The database file is damaged. Stop the gateway, keep a copy of the file, and restore the last good backup'],
  [
    'SQLITE_NOTADB',
    'The database file is damaged, or no file of Toolwire. Stop the gateway, keep a copy of the file, and restore the last good backup',
  ],
]

export function storeFailureFrom({ message, code }: SerializedError): StoreFailure {
  const advice = knownFailures.find(([prefix]) => code?.startsWith(prefix))?.[1]
  return new StoreFailure(advice ? `${advice} (${message})` : message, code)
}
