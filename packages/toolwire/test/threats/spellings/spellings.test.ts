// All spellings of a denied call have the same effect: the handler does not run, and the answer is that of the plain spelling.
import { beforeAll, describe, expect, it } from 'vitest'
import { parseJson } from '../../../src/json.js'
import { visibleLine } from '../../../src/text/visible.js'
import { every, since } from '../../revisions.js'
import '../../reported-faults.js'
import { said, speaking } from '../../server/pipe.js'
import { malformed, others, plain, same, unknown } from './bodies.js'
import { victim } from './victim.js'

type Answer = {
  id?: unknown
  error?: { code: number; message: string }
  result?: { isError?: boolean; content: { text: string }[] }
}

const answered = ({ error, result }: Answer) => ({ error, result })
/** The message of a refusal, which depends on the revision. */
const words = ({ error, result }: Answer) => error?.message ?? result?.content.map(({ text }) => text).join()
const isNo = ({ error, result }: Answer) => error !== undefined || result?.isError === true

describe.each(every)('one denied call at %s', (revision) => {
  const about = since('2026-07-28').includes(revision) ? `,"_meta":${JSON.stringify(said()._meta)}` : ''
  const { app, ran } = victim()
  let denied: Answer
  let pipe: Awaited<ReturnType<typeof speaking>>['pipe']

  const body = (params: string) => `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{${params}${about}}}`
  const say = async (params: string) => (await pipe.say(body(params))) as Answer

  beforeAll(async () => {
    pipe = (await speaking(app, revision)).pipe
    denied = await say(plain)
  })

  it('differs from an allowed call', async () => {
    expect(words(denied)).toBe('This call to delete_file is not allowed')
    expect(isNo(denied)).toBe(true)
    expect(isNo(await say('"name":"delete_file","arguments":{"path":"/srv/a"}'))).toBe(false)
    expect(ran.splice(0)).toEqual(['delete_file'])
  })

  it.each(same)('SECS-002 is denied with %s', async (_, params) => {
    expect(answered(await say(params))).toEqual(answered(denied))
    expect(ran).toEqual([])
  })

  it.each(malformed)('is invalid with %s', async (_, params) => {
    const { error, result } = await say(params)
    expect(result).toBeUndefined()
    expect([-32700, -32600, -32602]).toContain(error?.code)
    expect(error?.message).not.toMatch(/allowed|rule/)
    expect(ran).toEqual([])
  })

  it.each(unknown)('SECS-002 is unknown with the name "%s", and all unknown names get the same answer', async (name) => {
    const answer = await say(`"name":"${name}","arguments":{"path":"/srv/a"}`)
    const never = await say('"name":"never","arguments":{"path":"/srv/a"}')
    const read = parseJson(`"${name}"`) as string
    expect(words(answer)).toBe(`Unknown tool: ${visibleLine(read)}`)
    expect(words(never)).toBe('Unknown tool: never')
    expect(answer.error?.code).toBe(never.error?.code)
    expect(ran).toEqual([])
  })

  it.each(others)('SECS-002 to $tool is denied for every spelling of its values', async ({ tool, spellings }) => {
    for (const [name, params] of spellings)
      expect([name, words(await say(params))]).toEqual([name, `This call to ${tool} is not allowed`])
    expect(ran).toEqual([])
  })

  it('reaches the rules without arguments if they are missing, and a missing path is not under /etc', async () => {
    expect(isNo(await say('"name":"delete_file"'))).toBe(false)
    expect(ran.splice(0)).toEqual(['delete_file'])
  })

  it('is denied in a batch if the revision has batches, and is invalid otherwise', async () => {
    const answer = await pipe.say(`[${body(plain)}]`)
    const [only] = Array.isArray(answer) ? (answer as Answer[]) : [answer as Answer]
    if (Array.isArray(answer)) expect(answered(only as Answer)).toEqual(answered(denied))
    else expect(only?.error?.code).toBe(-32600)
    expect(Array.isArray(answer)).toBe(revision === '2025-03-26')
    expect(ran).toEqual([])
  })
})

it('covers more than forty spellings', () => {
  expect(same.length).toBeGreaterThanOrEqual(30)
  expect(same.length + malformed.length + unknown.length).toBeGreaterThanOrEqual(80)
})
