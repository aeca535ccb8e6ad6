// Calls that become tasks are approved during the task by the waiting client.
import { ask, server, tool } from 'toolwire'
import { connect } from 'toolwire/client'
import { approve, askCaller } from 'toolwire/guard'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { FormAsked } from '../../../src/client/client.js'
import '../../reported-faults.js'

function working() {
  const ran: string[] = []
  const run = () => {
    ran.push('ran')
    return 'done'
  }
  const long = { description: 'Works', longRunning: 'required' } as const
  const asks = { who: ask('Who?', z.object({ name: z.string() })) }
  const app = server({
    name: 'works',
    version: '1',
    policies: [approve({ ask: askCaller() })],
    tools: { work: tool({ ...long, run }), workFor: tool({ ...long, asks, run }) },
  })
  return { app, ran }
}

describe.each(['2025-11-25', '2026-07-28'])('a task, %s', (revision) => {
  it.each(['work', 'workFor'] as const)('UX-004 UX-005 asks for approval once, %s', async (name) => {
    const { app, ran } = working()
    const asked: FormAsked[] = []
    const form = (question: FormAsked) => {
      if (question.message === 'Who?') return { action: 'accept' as const, content: { name: 'Ada' } }
      asked.push(question)
      expect(ran).toEqual([])
      return { action: 'accept' as const, content: { decision: 'allow' } }
    }
    await using client = await connect(app, { revision, answers: { form } })
    expect((await client.call(name)).content).toEqual([{ type: 'text', text: 'done' }])
    expect(asked).toHaveLength(1)
    expect(ran).toEqual(['ran'])
  })

  it.each(['work', 'workFor'])('UX-001 UX-007 is not executed after a denial, %s', async (name) => {
    const { app, ran } = working()
    const form = ({ message }: FormAsked) =>
      message === 'Who?' ? { action: 'accept' as const, content: { name: 'Ada' } } : { action: 'decline' as const }
    await using client = await connect(app, { revision, answers: { form } })
    const result = await client.call(name).catch((thrown) => thrown)
    expect(JSON.stringify(result.content ?? result.message)).toContain('denied')
    expect(ran).toEqual([])
  })
})
