import { type Pin, type PinStore, toolKey } from '../policy/pin/store.js'
import { hashOf, type RunSql } from './database.js'

const key = hashOf('$1')
const get = `SELECT pin FROM toolwire.shared_pins WHERE tool = ${key}`
const list = 'SELECT pin FROM toolwire.shared_pins ORDER BY pinned_at, tool'
const remove = `DELETE FROM toolwire.shared_pins WHERE tool = ${key}`
const set = `INSERT INTO toolwire.shared_pins (tool, pin) VALUES (${key}, $2) ON CONFLICT (tool) DO UPDATE SET pin = excluded.pin`

/** The stored pin wins: the update changes nothing, but returns that pin. */
const first = `
INSERT INTO toolwire.shared_pins AS kept (tool, pin) VALUES (${key}, $2)
ON CONFLICT (tool) DO UPDATE SET pin = kept.pin RETURNING pin
`

type PinRow = { readonly pin: string }

/** Keys and pins are stored as JSON, which holds no NUL. */
export const sharedPins = (sql: RunSql): PinStore => ({
  async get(server, tool) {
    const [row] = await sql<PinRow>(get, [toolKey(server, tool)])
    return row && pinIn(row)
  },
  async set(pin) {
    await sql(set, [toolKey(pin.server, pin.tool), JSON.stringify(pin)])
  },
  async first(pin) {
    const [row] = await sql<PinRow>(first, [toolKey(pin.server, pin.tool), JSON.stringify(pin)])
    if (!row) throw new Error('PostgreSQL did not store a pin')
    return pinIn(row)
  },
  async delete(server, tool) {
    await sql(remove, [toolKey(server, tool)])
  },
  list: async () => (await sql<PinRow>(list, [])).map(pinIn),
})

/** Adds `server`, which JSON leaves out if it is undefined. */
const pinIn = ({ pin }: PinRow): Pin => ({ server: undefined, ...JSON.parse(pin) })
