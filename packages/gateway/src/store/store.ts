import type { Pin, PinStore } from 'toolwire/guard'
import type { PostgresStores } from 'toolwire/postgres'
import type { StoredConfigs } from '../config/stored-configs.js'
import type { StoredApprovals } from './approvals/stored-approvals.js'
import type { StoredAudit } from './audit/stored-audit.js'
import type { KnownServers } from './mirrored/known-servers.js'
import type { MemoryMirror } from './mirrored/memory-mirror.js'
import type { StoredGrants } from './mirrored/stored-grants.js'
import type { StoredKeys } from './mirrored/stored-keys.js'
import type { ToolMarkStore } from './mirrored/tool-marks.js'
import type { ConfigVersion, NewVersion } from './postgres/config-versions.js'
import type { Postgres } from './postgres/connection.js'
import type { Announced, Replica } from './postgres/replicas.js'
import type { SpoolState } from './postgres/spool/record-spool.js'
import type { StoredVault } from './secrets/stored-vault.js'

/** A browser session of the console. Its secrets are stored only as digests. */
export type StoredSession = {
  readonly id: string
  readonly cookie: string
  readonly key: string
  readonly browser: string
  readonly startedAt: number
  readonly usedAt: number
  /** The caller who made the login link, if not the operator. */
  readonly openedBy?: string
  /** The credential that made the link. The session ends with it, or at `until`. */
  readonly credential?: string
  /** In sessions of older versions, which did not name the key. They have ended. */
  readonly byKey?: boolean
  readonly until?: number
}

/** The state in force when a gateway last ran here, as keyed digests that reveal no content. */
export type LastRun = {
  /** Version of the rules. */
  readonly policy: string
  readonly settings: { readonly [name: string]: string }
  readonly servers: { readonly [id: string]: string }
  /** Milliseconds since 1970. */
  readonly at: number
}

export type StoredPins = PinStore & {
  /** Stores all pins, or none. */
  setAll(pins: readonly Pin[]): Promise<void>
  /** Reads what other gateways have accepted until now. */
  refresh(): Promise<void>
  /** Calls `listener` with each pin that another gateway has accepted, until the returned function is called. */
  onAccept(listener: (pin: Pin) => void): () => void
}

/** The gateways that share a database, this one among them. */
export type Fleet = {
  /** Id of this run of this gateway. */
  readonly id: string
  readonly postgres: Postgres
  /** Places that the gateways count together. */
  readonly turns: PostgresStores['turns']
  /** Labels that callers have received through any of the gateways. */
  readonly labels: PostgresStores['labels']
  /** Milliseconds since 1970 by a clock that all gateways share. */
  now(): number
  replicas(): Promise<readonly Replica[]>
  /** The config of gateways without a config file. */
  readonly configs: StoredConfigs & {
    /** Returns undefined if another version has become the newest meanwhile. */
    add(version: NewVersion): Promise<ConfigVersion | undefined>
  }
  /** Announces the address of this gateway and its config in force to the others. */
  announce(about: { readonly [Name in keyof Announced]: Announced[Name] | undefined }): Promise<void>
}

/** All data that outlives the process, in one file or in a database that gateways share. */
export type Store = {
  readonly audit: StoredAudit
  readonly approvals: StoredApprovals
  readonly grants: StoredGrants
  readonly pins: StoredPins
  readonly marks: ToolMarkStore
  readonly servers: KnownServers
  readonly keys: StoredKeys
  readonly vault: StoredVault
  /** Logins to upstreams, each sealed by the vault. */
  readonly logins: MemoryMirror<string>
  /** Sessions of the console. */
  readonly sessions: MemoryMirror<StoredSession>
  readonly inForce: MemoryMirror<LastRun>
  /** States of questions that have been used, over restarts and replicas. */
  readonly spentTickets: { claim(ticket: string, until: number): boolean | Promise<boolean> }
  /** For `audit({ key })`: equal arguments match across restarts. */
  readonly digestKey: Uint8Array
  /** The reason why nothing can be written, with advice; undefined if writing works. It ends by itself. */
  readonly trouble: unknown
  /** Records that wait on the local disk for the database; undefined without a spool. */
  readonly spooled?: SpoolState | undefined
  /** Undefined if no other gateway shares the store. */
  readonly fleet?: Fleet
  /** Finishes earlier jobs and releases the data directory. */
  close(): Promise<void>
}
