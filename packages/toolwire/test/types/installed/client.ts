// A separate program that installed.test.ts compiles: exports of a typed client without explicit types.
import { connect, pool } from 'toolwire/client'
import { toolkit } from 'toolwire/llm'
import { harness } from 'toolwire/testing'
import { app, placed } from './server.js'

export const remote = await connect<typeof app>('https://shop.example/mcp')
export const here = await connect(placed)
export const untyped = await connect('https://shop.example/mcp')
export const several = await pool({ shop: 'https://shop.example/mcp', files: { command: 'server-files' } })
export const tested = await harness(app, { answers: { confirm: { yes: true } } })
export const kits = {
  anthropic: await toolkit(several, { provider: 'anthropic' }),
  gemini: await toolkit(several, { provider: 'gemini' }),
  chat: await toolkit(several, { provider: 'openai-chat' }),
  responses: await toolkit(several, { provider: 'openai-responses' }),
  sdk: await toolkit(several, { provider: 'ai-sdk' }),
}

export const found: string[] = (await remote.tools.output({ query: 'mug' })).hits
export const score: number[] = await tested.tools.outputOnly()
export const asked = await remote.tools.asking()
export const text = await here.tools.ping()
// @ts-expect-error the query is missing
export const missing = await here.tools.search({})
await remote.close()
