import type { SpentTickets } from '../server/questions/spent-tickets.js'
import { forgetRows, hashOf, type RunSql, startTime } from './database.js'

const claim = `
INSERT INTO toolwire.shared_tickets (ticket, keep_until)
VALUES (${hashOf('$1')}, greatest(to_timestamp($2::float8 / 1000), clock_timestamp()) + interval '1 day')
ON CONFLICT DO NOTHING RETURNING 1
`

/** Tickets are kept a day longer than they are valid, because replicas with slow clocks still accept them. */
export const forgetTickets = forgetRows('shared_tickets', 'ticket', `keep_until < ${startTime}`)

export const sharedTickets = (sql: RunSql): SpentTickets => ({
  claim: async (ticket, until) => (await sql(claim, [ticket, until])).length === 1,
})
