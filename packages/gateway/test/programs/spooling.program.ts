// Writes records as fast as it can, even while the database is away, and prints which are durable and where.
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.js'
import { say, writeRecords } from './write-records.js'

const [, , directory = ''] = process.argv
const store = await openPostgresStore(process.env.STORE ?? '', directory, { spool: true })

const sayWhere = () => say(store.spooled?.records ? 'spooling' : 'shared')
await Promise.all(Array.from({ length: 4 }, (_, lane) => writeRecords(store, lane, sayWhere)))
