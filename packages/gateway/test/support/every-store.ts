// Runs the same tests for every store: a data directory, and a shared database.
import { afterAll, beforeAll, describe } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../toolwire/test/postgres-server.js'
import type { StoreOptions } from '../../src/store/open-store.js'
import type { Store } from '../../src/store/store.js'
import { inDatabase, newPostgresStore } from './postgres-stores.js'
import { newDirectory, newStore } from './stores.js'
import { bytesIn, tamper } from './tampered-log.js'

/** The location of a store, which can be opened, closed and reopened. */
export type StorePlace = {
  open(options?: StoreOptions): Promise<Store>
  /** Changes the database as an attacker without the key. */
  tamper(statement: string): Promise<void>
  /** True if the stored data contains these words. */
  contains(words: string): Promise<boolean>
}

function sqlitePlace(): StorePlace {
  const directory = newDirectory()
  return {
    open: (options) => newStore(options, directory),
    tamper: async (statement) => tamper(directory, statement),
    contains: async (words) => bytesIn(directory, words),
  }
}

function postgresPlace(url: string): StorePlace {
  const directory = newDirectory()
  const tables = ['approvals', 'kept', 'sealed', 'state']
  return {
    open: (options) => newPostgresStore(url, options, directory),
    tamper: async (statement) => void (await inDatabase(url, `SET search_path = toolwire; ${statement}`)),
    async contains(words) {
      const rows = await Promise.all(
        tables.map((table) => inDatabase<{ line: string }>(url, `SELECT ${table}::text AS line FROM toolwire.${table}`)),
      )
      // PostgreSQL shows bytes as hexadecimal.
      const hex = Buffer.from(words).toString('hex')
      return rows.flat().some(({ line }) => line.includes(words) || line.includes(hex))
    },
  }
}

export function describeEveryStore(tests: (newPlace: () => Promise<StorePlace>) => void): void {
  describe('in SQLite', () => tests(async () => sqlitePlace()))
  describe.skipIf(!postgresFound)('in PostgreSQL', () => {
    let server: PostgresServer
    beforeAll(async () => {
      server = await postgresServer()
    })
    afterAll(() => server.close())
    tests(async () => postgresPlace(await server.database()))
  })
}
