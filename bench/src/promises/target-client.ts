// A program that uses an unknown server.
import { type Client, connect, pool } from 'toolwire/client'
import { toolkit } from 'toolwire/llm'

const uses: { readonly [what: string]: (client: Client, url: string) => Promise<unknown> } = {
  listTools: (client) => client.listTools({ fresh: true }),
  listAgain: async (client) => {
    for (let round = 0; round < 5; round++) await client.listTools({ fresh: true })
  },
  listAll: async (client) => {
    await client.listResources()
    await client.listResourceTemplates()
    await client.listPrompts()
  },
  call: (client) => client.call('echo', {}),
  read: (client) => client.readResource('memo://fixed'),
  prompt: (client) => client.getPrompt('about', {}),
  models: async (_, url) => {
    const all = await pool({ stranger: url }, { onWarning: () => undefined })
    for (const provider of ['anthropic', 'openai-responses', 'gemini'] as const) await toolkit(all, { provider })
    await all.close()
  },
}

process.on('message', async (word: { readonly what?: string; readonly url?: string }) => {
  if (!word.what || !word.url) return
  process.send?.({ done: await used(word.what, word.url).catch((thrown) => String(thrown).slice(0, 300)) })
})

async function used(what: string, url: string): Promise<string> {
  const client = await connect(url, { onWarning: () => undefined, limits: { totalMs: 30_000 } })
  try {
    await uses[what]?.(client, url)
    return 'done'
  } finally {
    await client.close()
  }
}

process.send?.({ port: 0 })
