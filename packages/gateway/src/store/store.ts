import type { GrantStore, Pin, PinStore } from 'toolwire/guard'
import type { StoredConfigs } from '../config/stored-configs.js'
import type { StoredApprovals } from './approvals/stored-approvals.js'
import type { StoredAudit } from './audit/stored-audit.js'
import type { KnownServers } from './mirrored/known-servers.js'
import type { MemoryMirror } from './mirrored/memory-mirror.js'
import type { StoredKeys } from './mirrored/stored-keys.js'
import type { ToolMarkStore } from './mirrored/tool-marks.js'
import type { ConfigVersion, NewVersion } from './postgres/config-versions.js'
import type { Postgres } from './postgres/connection.js'
import type { Announced, Replica } from './postgres/replicas.js'
import type { SpoolState } from './postgres/spool/record-spool.js'
import type { StoredVault } from './secrets/stored-vault.js'

/** A browser that was let in: of what it shows there are only digests here. */
export type StoredSession = {
  readonly id: string
  readonly cookie: string
  readonly key: string
  readonly browser: string
  readonly startedAt: number
  readonly usedAt: number
  /** Whose credentials the link was made with, where that was not the operator. It ends with them: with the keys, or at this moment. */
  readonly openedBy?: string
  readonly byKey?: boolean
  readonly until?: number
}

/** What was in force when a gateway last ran here: digests under a key, so nothing of it can be read. */
export type LastRun = {
  /** Version of the rules. */
  readonly policy: string
  readonly settings: { readonly [name: string]: string }
  readonly servers: { readonly [id: string]: string }
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Accepted definitions. */
export type StoredPins = PinStore & {
  /** Calls back with each that was accepted at another gateway. */
  onAccept(listener: (pin: Pin) => void): void
}

/** The gateways that share a database, this one among them. */
export type Fleet = {
  /** Of this start of this gateway. */
  readonly id: string
  readonly postgres: Postgres
  replicas(): Promise<readonly Replica[]>
  /** The config of those that have no file. */
  readonly configs: StoredConfigs & {
    /** Undefined where another version is the newest by now. */
    add(version: NewVersion): Promise<ConfigVersion | undefined>
  }
  /** Tells the others where this one is reached, and which config it has in force. */
  announce(about: { readonly [Name in keyof Announced]: Announced[Name] | undefined }): Promise<void>
}

/** Everything that outlives the process: in one file, or in a database that gateways share. */
export type Store = {
  readonly audit: StoredAudit
  readonly approvals: StoredApprovals
  readonly grants: GrantStore
  readonly pins: StoredPins
  readonly marks: ToolMarkStore
  readonly servers: KnownServers
  readonly keys: StoredKeys
  readonly vault: StoredVault
  /** Of the console. */
  readonly sessions: MemoryMirror<StoredSession>
  readonly inForce: MemoryMirror<LastRun>
  /** For `audit({ key })`: equal arguments match across restarts. */
  readonly digestKey: Uint8Array
  /** Why nothing can be written, with what to do; undefined when all is well. It goes away by itself. */
  readonly trouble: unknown
  /** Records that wait on the local disk for the database; undefined where none ever do. */
  readonly spooled?: SpoolState | undefined
  /** Undefined where nobody else uses the store. */
  readonly fleet?: Fleet
  /** Does what was asked before, and gives the data directory back. */
  close(): Promise<void>
}
