// Stores in directories of their own, which are removed after the test.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AuditOutcome, AuditRecord } from 'toolwire/guard'
import type { types } from 'toolwire/relay'
import { onTestFinished } from 'vitest'
import type { SignedHead } from '../../src/store/audit/signed-head.js'
import { openStore, type StoreOptions } from '../../src/store/open-store.js'
import type { Store } from '../../src/store/store.js'
import { builtWorker } from './build-program.js'

export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'toolwire-store-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** A store that is closed after the test at the latest. */
export async function newStore(options: StoreOptions = {}, directory = newDirectory()): Promise<Store> {
  const store = await openStore(directory, { worker: await builtWorker(), ...options })
  onTestFinished(() => store.close())
  return store
}

export const intentOf = (number: number, given: Partial<types.AuditIntent> = {}): types.AuditIntent => ({
  kind: 'intent',
  id: `call-${number}`,
  at: 1_000 + number,
  server: 'mail',
  tool: 'send',
  definitionHash: 'sha256:0',
  caller: 'eve',
  arguments: { n: number },
  ...given,
})

export const outcomeOf = (number: number, given: Partial<AuditOutcome> = {}): AuditOutcome => {
  const { arguments: _, ...about } = intentOf(number)
  return { ...about, kind: 'outcome', durationMs: 1.5, decision: 'allowed', outcome: 'ok', ...given }
}

/** Appends records in order, in one batch. */
export async function append(store: Store, ...records: readonly AuditRecord[]): Promise<void> {
  await Promise.all(records.map((record) => store.audit.append(record)))
}

/** A signed head of a log with one call. */
export async function aHead(): Promise<SignedHead> {
  const store = await newStore()
  await append(store, intentOf(1), outcomeOf(1))
  const head = store.audit.signHead()
  if (!head) throw new Error('There is a record')
  return head
}
