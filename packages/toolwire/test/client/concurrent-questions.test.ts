// Requests on behalf of other clients: declared handlers, concurrent questions and complete progress.
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { type ConnectOptions, connect, memoryRevisions } from '../../src/client/index.js'
import { ask, server, tool } from '../../src/index.js'
import type { Answering } from '../../src/relay/index.js'
import { modern } from './questions.js'

const name = z.object({ name: z.string() })
const app = () =>
  server({
    name: 'asker',
    version: '1.0.0',
    tools: {
      both: tool({
        description: 'Asks twice at once',
        asks: { first: ask('First?', name), second: ask('Second?', name) },
        run: (_, { answers }) => `${answers.first.name} and ${answers.second.name}`,
      }),
      lacks: tool({
        description: 'Says what its client cannot be asked',
        run: (_, ctx) => (['form', 'url', 'model', 'roots'] as const).filter((kind) => ctx.ask.lacks(kind)).join(' '),
      }),
      steps: tool({
        description: 'Goes fast',
        run: async (_, { progress }) => {
          for (const step of [1, 2, 3, 4]) {
            progress(step)
            await new Promise((resolve) => setTimeout(resolve, 5))
          }
          return 'arrived'
        },
      }),
    },
  })

async function reached(options: ConnectOptions = {}) {
  const client = await connect(app(), { revision: modern, verdicts: memoryRevisions(), ...options })
  onTestFinished(() => client.close())
  return client
}

const said = ({ content: [first] }: { content: readonly { type: string; text?: unknown }[] }) => String(first?.text)

it('asks questions one at a time, or at once if the handler allows it', async () => {
  const client = await reached()
  for (const atOnce of [false, true]) {
    let open = 0
    let most = 0
    const keys: (string | undefined)[] = []
    const form: Answering['form'] = async ({ key }) => {
      keys.push(key)
      most = Math.max(most, ++open)
      await new Promise((resolve) => setTimeout(resolve, 20))
      open--
      return { action: 'accept', content: { name: String(key) } }
    }
    expect(said(await client.call('both', {}, { answers: { form }, atOnce }))).toBe('first and second')
    expect(keys).toEqual(['first', 'second'])
    expect(most).toBe(atOnce ? 2 : 1)
  }
})

it('declares the handlers that the request names, even if others exist', async () => {
  const model = () => ({})
  const form = () => ({ action: 'decline' as const })
  const client = await reached({ answers: { form, model } })
  expect(said(await client.call('lacks'))).toBe('url roots')
  expect(said(await client.call('lacks', {}, { answers: { model } }))).toBe('form url roots')
  expect(said(await client.call('lacks', {}, { answers: { form, model }, asks: { form: true, model: false } }))).toBe(
    'url model roots',
  )
})

it('PROG-006 passes on every progress report if the caller throttles them itself', async () => {
  const client = await reached()
  const steps: number[] = []
  const onProgress = ({ progress }: { progress: number }) => steps.push(progress)
  await client.call('steps', {}, { onProgress })
  expect(steps.length).toBeLessThan(4)
  steps.length = 0
  await client.call('steps', {}, { onProgress, eachProgress: true })
  expect(steps).toEqual([1, 2, 3, 4])
})
