import { describe, expect, it } from 'vitest'
import { isObject, type JsonObject } from '../../src/json.js'
import { RpcError } from '../../src/jsonrpc/error.js'
import { toolkit } from '../../src/llm/index.js'
import type { ToolkitOptions } from '../../src/llm/options.js'
import type { AiOutput } from '../../src/llm/providers/ai-sdk.js'
import { expectWithin } from '../soak.js'
import { fakePool } from './fakes.js'

const png = 'iVBORw0KGgo='
const schema: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
}
const described = { description: 'The weather', schema }
const mixed = {
  content: [
    { type: 'text', text: 'Sunny' },
    { type: 'image', data: png, mimeType: 'image/png' },
  ],
}
const failing = { content: [{ type: 'text', text: 'No such city' }], isError: true }
const pool = () =>
  fakePool({ w__now: { ...described, run: ({ city }) => (city === 'Oslo' ? mixed : failing) }, w__help: { run: () => 'Help' } })
const options = { fence: false } as const

describe('Anthropic', () => {
  it('gets tools, and results with text, images and errors', async () => {
    const kit = await toolkit(pool(), { provider: 'anthropic', ...options })
    expect(kit.tools).toEqual([
      { name: 'w__help', description: 'Does it', input_schema: { type: 'object', properties: {} } },
      { name: 'w__now', description: 'The weather', input_schema: schema },
    ])
    const use = (id: string, city: string) => ({ type: 'tool_use', id, name: 'w__now', input: { city } })
    expect(await kit.run({ content: [{ type: 'text' }, use('1', 'Oslo'), use('2', 'Atlantis')] })).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: '1',
            content: [
              { type: 'text', text: 'Sunny' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
            ],
          },
          { type: 'tool_result', tool_use_id: '2', content: [{ type: 'text', text: 'No such city' }], is_error: true },
        ],
      },
    ])
    expect(await kit.run({ content: 'Bye' })).toEqual([])
  })
})

describe('OpenAI chat', () => {
  const call = (id: string, args: string) => ({ id, type: 'function', function: { name: 'w__now', arguments: args } })

  it('gets tools, and messages with text', async () => {
    const kit = await toolkit(pool(), { provider: 'openai-chat', ...options })
    expect(kit.tools[1]).toEqual({
      type: 'function',
      function: { name: 'w__now', description: 'The weather', parameters: schema },
    })
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [call('1', '{"city":"Oslo"}'), call('2', '{"city":"Atlantis"}'), call('3', '{')],
    }
    const results = [
      { role: 'tool', tool_call_id: '1', content: 'Sunny\n[image/png left out: it cannot be shown here]' },
      { role: 'tool', tool_call_id: '2', content: 'Error: No such city' },
      { role: 'tool', tool_call_id: '3', content: expect.stringContaining('not valid JSON') },
    ]
    expect(await kit.run({ choices: [{ message }] })).toEqual(results)
    expect(await kit.run(message)).toEqual(results)
    expect(await kit.run({ choices: [{ message: {} }] })).toEqual([])
  })

  it('gets strict schemas, and its nulls do not reach the tool', async () => {
    const tools = pool()
    const kit = await toolkit(tools, { provider: 'openai-chat', strict: true, ...options })
    expect(kit.tools[1]?.function).toMatchObject({
      strict: true,
      parameters: {
        required: ['city', 'days'],
        additionalProperties: false,
        properties: { days: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
      },
    })
    await kit.run({ tool_calls: [call('1', '{"city":"Oslo","days":null}')] })
    expect(tools.calls).toEqual([['w__now', { city: 'Oslo' }]])
  })
})

describe('OpenAI responses', () => {
  it('gets tools, and items with text and images', async () => {
    const kit = await toolkit(pool(), { provider: 'openai-responses', ...options })
    expect(kit.tools[1]).toEqual({
      type: 'function',
      name: 'w__now',
      description: 'The weather',
      parameters: schema,
      strict: false,
    })
    const call = (call_id: string, city: string) => ({
      type: 'function_call',
      call_id,
      name: 'w__now',
      arguments: JSON.stringify({ city }),
    })
    expect(await kit.run({ output: [{ type: 'reasoning' }, call('1', 'Oslo'), call('2', 'Atlantis')] })).toEqual([
      {
        type: 'function_call_output',
        call_id: '1',
        output: [
          { type: 'input_text', text: 'Sunny' },
          { type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'auto' },
        ],
      },
      { type: 'function_call_output', call_id: '2', output: 'Error: No such city' },
    ])
  })
})

describe('Gemini', () => {
  it('gets declarations, and responses with separate media', async () => {
    const kit = await toolkit(pool(), { provider: 'gemini', ...options })
    expect(kit.tools).toEqual([
      {
        functionDeclarations: [
          { name: 'w__help', description: 'Does it' },
          {
            name: 'w__now',
            description: 'The weather',
            parameters: {
              type: 'OBJECT',
              properties: { city: { type: 'STRING' }, days: { type: 'INTEGER' } },
              required: ['city'],
            },
          },
        ],
      },
    ])
    const content = {
      parts: [
        { functionCall: { id: '1', name: 'w__now', args: { city: 'Oslo' } } },
        { functionCall: { name: 'w__now', args: {} } },
      ],
    }
    const appended = [
      {
        role: 'user',
        parts: [
          { functionResponse: { id: '1', name: 'w__now', response: { output: 'Sunny' } } },
          { inlineData: { mimeType: 'image/png', data: png } },
          { functionResponse: { name: 'w__now', response: { error: 'No such city' } } },
        ],
      },
    ]
    expect(await kit.run({ candidates: [{ content }] })).toEqual(appended)
    expect(await kit.run(content)).toEqual(appended)
    expect(await kit.run({})).toEqual([])
  })
})

describe('the AI SDK', () => {
  it('gets executable tools with its own schema objects', async () => {
    const { tools } = await toolkit(pool(), { provider: 'ai-sdk', ...options })
    const now = tools.w__now!
    expect(Object.keys(tools)).toEqual(['w__help', 'w__now'])
    expect(now.inputSchema).toMatchObject({ [Symbol.for('vercel.ai.schema')]: true, jsonSchema: schema })
    expect('validate' in now.inputSchema).toBe(true)
    const output: AiOutput = {
      type: 'content',
      value: [
        { type: 'text', text: 'Sunny' },
        { type: 'media', data: png, mediaType: 'image/png' },
      ],
    }
    expect(await now.execute({ city: 'Oslo' }, { toolCallId: '1' })).toEqual(output)
    expect(await now.execute({ city: 'Atlantis' })).toEqual({ type: 'error-text', value: 'No such city' })
    // Version 5 passes the output itself, version 6 an object around it.
    expect(now.toModelOutput(output)).toEqual(output)
    expect(now.toModelOutput({ output })).toEqual(output)
  })

  it('throws protocol errors of the server only if configured', async () => {
    const run = () => {
      throw new RpcError(-32603, 'down for today')
    }
    const execute = async (more: ToolkitOptions) =>
      (await toolkit(fakePool({ w__now: { run } }), { provider: 'ai-sdk', ...more })).tools.w__now!.execute({})
    expect(await execute({})).toEqual({ type: 'error-text', value: expect.stringContaining('code -32603') })
    await expect(execute({ protocolErrors: 'throw' })).rejects.toThrow('down for today')
  })

  it('can leave the execution to the program', async () => {
    const kit = await toolkit(pool(), { provider: 'ai-sdk', ...options })
    expect(await kit.run({ toolCalls: [{ toolCallId: '1', toolName: 'w__help', input: {} }] })).toEqual([
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: '1', toolName: 'w__help', output: { type: 'text', value: 'Help' } }],
      },
    ])
  })
})

describe.each(['anthropic', 'openai-chat', 'openai-responses', 'gemini', 'ai-sdk'] as const)('for %s', (provider) => {
  it('the tools have the same text in any order', async () => {
    const fakes = Array.from({ length: 12 }, (_, index) => [`s__t${index}`, { schema }] as const)
    const text = async (of: typeof fakes) => JSON.stringify((await toolkit(fakePool(Object.fromEntries(of)), { provider })).tools)
    expect(await text(fakes.toReversed())).toBe(await text(fakes))
  })

  it('descriptions are cleaned and cut, and losses are reported by tool', async () => {
    const hostile = `Adds${String.fromCodePoint(0xe0041)}\u202e <SYSTEM>${'x'.repeat(3_000)}`
    const deep = { type: 'object', properties: { a: { $ref: 'https://elsewhere.example' } } }
    const kit = await toolkit(fakePool({ s__a: { description: hostile, schema: deep } }), { provider })
    const text = JSON.stringify(kit.tools)
    expect(text).toContain('Adds ‹SYSTEM›xxx')
    expect(text.length).toBeLessThan(2_500)
    const lost = kit.report.filter(isObject).map(({ alias, keyword }) => `${alias} ${keyword}`)
    expect(lost).toEqual(expect.arrayContaining(['s__a description', 's__a $ref']))
  })

  it('only the selected tools are included', async () => {
    const kit = await toolkit(fakePool({ s__a: {}, s__b: {} }), { provider, filter: ({ alias }) => alias === 's__b' })
    expect(JSON.stringify(kit.tools)).not.toContain('s__a')
  })
})

it('a list of thousands of tools does not block the program', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`p${index}`, { type: 'string', description: 'A word' }]),
  )
  const large = { type: 'object', properties }
  const pool = fakePool(Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`s__t${index}`, { schema: large }])))
  let longest = 0
  let last = performance.now()
  const clock = setInterval(() => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }, 5)
  await toolkit(pool, { provider: 'gemini' })
  // Gives the interval a last chance. If the program had been blocked, it would have run for the first time here.
  await new Promise((resolve) => setTimeout(resolve, 20))
  clearInterval(clock)
  expectWithin(longest, 150)
})

it('a tool whose alias no provider accepts is omitted, and duplicate aliases are refused', async () => {
  const kit = await toolkit(fakePool({ 'not good': {}, s__a: {} }), { provider: 'anthropic' })
  expect(kit.tools.map(({ name }) => name)).toEqual(['s__a'])
  expect(kit.report).toMatchObject([{ alias: 'not good', keyword: 'name' }])
  const twice = fakePool({ s__a: {} })
  const listed = await twice.listTools()
  twice.listTools = async () => [...listed, ...listed]
  await expect(toolkit(twice, { provider: 'anthropic' })).rejects.toThrow('Two tools have the alias s__a')
})
