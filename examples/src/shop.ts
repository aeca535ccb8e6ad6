// A small shop: one tool that reads, one that writes and asks first, one that takes some time.
// node dist/shop.js --http   or   node dist/shop.js --stdio; PORT chooses another port than 3000
import { jsonSchema, prompt, reply, resource, server, ToolError, template, tool } from 'toolwire'

type Item = { name: string; price: number; stock: number }

const catalog = new Map<string, Item>([
  ['mug', { name: 'Mug', price: 9, stock: 12 }],
  ['shirt', { name: 'Shirt', price: 25, stock: 3 }],
  ['poster', { name: 'Poster', price: 14, stock: 0 }],
])

const search = tool({
  title: 'Search the catalog',
  description: 'Finds items by a part of their name. Returns their ids, prices and stock.',
  hints: { readOnly: true, openWorld: false },
  input: jsonSchema<{ query: string; limit?: number }>({
    type: 'object',
    properties: {
      query: { type: 'string', description: 'A part of the name; empty for everything' },
      limit: { type: 'integer', minimum: 1, maximum: 50 },
    },
    required: ['query'],
  }),
  output: jsonSchema<{ hits: { id: string; price: number; stock: number }[] }>({
    type: 'object',
    properties: {
      hits: {
        type: 'array',
        items: { type: 'object', properties: { id: { type: 'string' }, price: { type: 'number' }, stock: { type: 'integer' } } },
      },
    },
    required: ['hits'],
  }),
  run: ({ query, limit = 10 }) => {
    const found = [...catalog].filter(([, item]) => item.name.toLowerCase().includes(query.toLowerCase()))
    return { hits: found.slice(0, limit).map(([id, { price, stock }]) => ({ id, price, stock })) }
  },
})

const order = tool({
  title: 'Order an item',
  description: 'Orders one item for the user, who is asked to confirm. Use search first to find its id.',
  hints: { destructive: true },
  limit: { calls: 20, per: 'minute' },
  input: jsonSchema<{ id: string }>({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }),
  run: async ({ id }, ctx) => {
    const item = catalog.get(id)
    if (!item) throw new ToolError(`There is no item "${id}"; use search to find one`)
    if (item.stock === 0) throw new ToolError(`${item.name} is sold out`)
    const { confirm } = await ctx.ask('confirm', `Order one ${item.name} for ${item.price} €?`, yesOrNo)
    if (!confirm) return 'Not ordered: the user changed their mind'
    item.stock -= 1
    return reply.content(reply.text(`Ordered one ${item.name}`), reply.link({ uri: `shop://items/${id}`, name: item.name }))
  },
})

const yesOrNo = jsonSchema<{ confirm: boolean }>({
  type: 'object',
  properties: { confirm: { type: 'boolean', title: 'Order it' } },
  required: ['confirm'],
})

const restock = tool({
  title: 'Restock everything',
  description: 'Brings every item back to a stock of ten. Takes a few seconds.',
  hints: { idempotent: true },
  longRunning: 'optional',
  run: async (_, ctx) => {
    let done = 0
    for (const item of catalog.values()) {
      await pause(500, ctx.signal)
      item.stock = Math.max(item.stock, 10)
      ctx.progress(++done, catalog.size, item.name)
    }
    return `Restocked ${done} items`
  },
})

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}

const ids = (prefix: string) => [...catalog.keys()].filter((id) => id.startsWith(prefix))

export const app = server({
  name: 'shop',
  version: '1.0.0',
  title: 'Example shop',
  instructions: 'Search before ordering; order asks the user to confirm.',
  tools: { search, order, restock },
  resources: {
    opening: resource({
      uri: 'shop://opening-hours',
      title: 'Opening hours',
      mimeType: 'text/plain',
      read: () => 'Monday to Friday, 9 to 17',
    }),
    item: template({
      uriTemplate: 'shop://items/{id}',
      title: 'One item',
      mimeType: 'application/json',
      complete: { id: ids },
      read: ({ id = '' }) => {
        const item = catalog.get(id)
        return item && JSON.stringify(item)
      },
    }),
  },
  prompts: {
    gift: prompt({
      title: 'Find a gift',
      args: { budget: { description: 'How much to spend, in €', required: true } },
      run: ({ budget }) => `Find me a gift for at most ${budget} € in the shop, and order it if I agree.`,
    }),
  },
})

if (process.argv.includes('--stdio')) {
  const { serveStdio } = await import('toolwire/stdio')
  await serveStdio(app)
} else if (process.argv.includes('--http')) {
  const { listen } = await import('toolwire/node')
  const { url } = await listen(app, { port: Number(process.env.PORT ?? 3000) })
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search', arguments: { query: 'mug' } } }
  console.error(`The example shop is open at ${url}

Call a tool from a second terminal:

  curl -s ${url} -H 'content-type: application/json' -H 'mcp-protocol-version: 2026-07-28' \\
    -H 'mcp-method: tools/call' -H 'mcp-name: search' \\
    -d '${JSON.stringify({ ...call, params: { ...call.params, _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} } } })}'

or point an MCP client at it: { "mcpServers": { "shop": { "type": "http", "url": "${url}" } } }
Stop with Ctrl-C.`)
}
