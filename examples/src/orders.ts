// Three tools, three callers, and every policy between them: access, rules, approval by a person, rate limits, an audit log.
// node dist/orders.js   asks for approvals on its terminal; PORT chooses another port than 3000, AUDIT another file than audit.ndjson
import { fileURLToPath } from 'node:url'
import { jsonSchema, type Server, server, ToolError, tool } from 'toolwire'
import { type ApiKeyRecord, createApiKey } from 'toolwire/auth'
import type { Approver, AuditLog } from 'toolwire/guard'
import { defineRules, rules } from 'toolwire/rules'

type Order = { id: string; customer: string; note: string }

const named = jsonSchema<{ id: string }>({
  type: 'object',
  properties: { id: { type: 'string', pattern: '^[a-z]-[0-9]{1,6}$' } },
  required: ['id'],
})
const noted = jsonSchema<{ id: string; note: string }>({
  type: 'object',
  properties: { id: { type: 'string', pattern: '^[a-z]-[0-9]{1,6}$' }, note: { type: 'string', maxLength: 200 } },
  required: ['id', 'note'],
})

function toolsOver(orders: Map<string, Order>) {
  const found = (id: string) => {
    const order = orders.get(id)
    if (!order) throw new ToolError(`There is no order ${id}`)
    return order
  }
  return {
    find_order: tool({
      description: 'Finds an order by its id',
      hints: { readOnly: true, openWorld: false },
      input: named,
      run: ({ id }) => JSON.stringify(found(id)),
    }),
    note_order: tool({
      description: 'Writes a note on an order, in place of the one it has',
      scopes: ['orders:write'],
      hints: { destructive: false, idempotent: true, openWorld: false },
      limit: { calls: 5, per: 'minute' },
      input: noted,
      run: ({ id, note }) => {
        found(id).note = note
        return `Noted on ${id}`
      },
    }),
    delete_order: tool({
      description: 'Deletes an order for good',
      scopes: ['orders:write'],
      hints: { destructive: true, openWorld: false },
      input: named,
      run: ({ id }) => {
        orders.delete(found(id).id)
        return `Deleted ${id}`
      },
    }),
  }
}

const policy = defineRules({
  default: 'deny',
  rules: [
    { name: 'reading', when: { hints: { readOnly: true } }, decision: 'allow' },
    { name: 'kept for the court', when: { tool: 'delete_order', arguments: { id: { pattern: '^c-' } } }, decision: 'deny' },
    { name: 'deleting', when: { tool: 'delete_order', caller: { scopes: ['orders:delete'] } }, decision: 'ask' },
    { name: 'writing', when: { tool: 'note_order' }, decision: 'allow' },
  ],
})

/** The server and its orders. The caller of this function provides the audit log and the approver. */
export function ordersServer({ log, ask }: { log: AuditLog; ask: Approver }): {
  app: Server
  orders: Map<string, Order>
} {
  const orders = new Map(
    ['a-1', 'a-2', 'c-1'].map((id): [string, Order] => [id, { id, customer: `customer of ${id}`, note: '' }]),
  )
  const app = server({
    name: 'orders',
    version: '1.0.0',
    tools: toolsOver(orders),
    guard: { audit: { log }, rules: rules(policy), approve: { ask } },
  })
  return { app, orders }
}

/** Ana may read, Ben may also write, and Cleo may also delete, with approval. */
export async function callers(): Promise<{ keys: Record<'ana' | 'ben' | 'cleo', string>; records: ApiKeyRecord[] }> {
  const ana = await createApiKey({ caller: 'ana', scopes: [] })
  const ben = await createApiKey({ caller: 'ben', scopes: ['orders:write'] })
  const cleo = await createApiKey({ caller: 'cleo', scopes: ['orders:write', 'orders:delete'] })
  return { keys: { ana: ana.key, ben: ben.key, cleo: cleo.key }, records: [ana.record, ben.record, cleo.record] }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await (await import('./orders-terminal.js')).run()
