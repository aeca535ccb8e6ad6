// The same tests for every store: a data directory, and a database that gateways share.
import { afterAll, beforeAll, describe } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../toolwire/test/postgres-server.js'
import type { StoreOptions } from '../../src/store/open-store.js'
import type { Store } from '../../src/store/store.js'
import { inDatabase, newPostgresStore } from './postgres-stores.js'
import { newDirectory, newStore } from './stores.js'
import { bytesIn, tamper } from './tampered-log.js'

/** Where a store is kept, which is opened, closed and opened again. */
export type StorePlace = {
  open(options?: StoreOptions): Promise<Store>
  /** As somebody who has the database, and not the key. */
  tamper(statement: string): Promise<void>
  /** Whether the words stand anywhere in it. */
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
      // Bytes are shown as hexadecimal.
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
