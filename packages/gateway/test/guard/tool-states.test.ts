// Disabled tools. The state belongs to one tool of one server.
import type { ReadyTool } from 'toolwire/guard'
import { expect, it } from 'vitest'
import { PolicyFile } from '../../src/guard/policy/policy-file.js'
import { toolStatesOf } from '../../src/guard/tools/tool-states.js'
import type { Store } from '../../src/store/store.js'
import { newDirectory, newStore } from '../support/stores.js'

const toolOf = (server: string) => ({ name: 'mail__send', definition: { server } }) as unknown as ReadyTool

function statesIn({ marks }: Store) {
  const policy = new PolicyFile(true, { onChange() {}, onTrouble() {}, toolsFor: () => [], check: () => [] })
  return toolStatesOf({ marks, policy, onSwitched: () => undefined })
}

it.each([
  ['alpha', 'zulu'],
  ['zulu', 'alpha'],
])('stay disabled after a restart, although a tool of %s had the name before that of %s', async (earlier, later) => {
  const directory = newDirectory()
  const store = await newStore({}, directory)
  const states = statesIn(store)
  await states.set(toolOf(earlier), 'hidden', 'ada')
  await states.set(toolOf(later), 'off', 'ada')
  expect([states.of(toolOf(earlier)), states.of(toolOf(later))]).toEqual(['hidden', 'off'])
  await store.close()
  const again = statesIn(await newStore({}, directory))
  expect([again.of(toolOf(earlier)), again.of(toolOf(later))]).toEqual(['hidden', 'off'])
  await again.set(toolOf(earlier), 'on', 'ada')
  expect([again.of(toolOf(earlier)), again.of(toolOf(later))]).toEqual(['on', 'off'])
})

it('have the later of two simultaneous changes', async () => {
  const states = statesIn(await newStore())
  const tool = toolOf('alpha')
  const switchTo = (...all: ('on' | 'off' | 'hidden')[]) => Promise.all(all.map((state) => states.set(tool, state, 'ada')))
  await switchTo('off', 'on', 'hidden')
  expect(states.of(tool)).toBe('hidden')
  await switchTo('on', 'off', 'on')
  expect(states.of(tool)).toBe('on')
})

it('keep their state if a change cannot be stored, but a tool to be disabled is disabled', async () => {
  const store = await newStore()
  const tool = toolOf('alpha')
  await statesIn(store).set(tool, 'off', 'ada')
  const full = () => Promise.reject(new Error('The disk is full'))
  const failing = statesIn({ ...store, marks: { ...store.marks, set: full, drop: full } })
  for (const state of ['hidden', 'on'] as const) {
    await expect(failing.set(tool, state, 'ada')).rejects.toThrow('full')
    expect(failing.of(tool)).toBe('off')
  }
  const other = toolOf('beta')
  await expect(failing.set(other, 'off', 'ada')).rejects.toThrow('full')
  expect(failing.of(other)).toBe('off')
})

it('hide from every caller a tool that is off, and no other, because a rule may allow calls of a hidden one', async () => {
  const states = statesIn(await newStore())
  const tool = toolOf('alpha')
  const hiddenIn = async (state: 'on' | 'off' | 'hidden') => {
    await states.set(tool, state, 'ada')
    return states.hides?.(tool, { id: 'bob', scopes: [] })
  }
  expect([await hiddenIn('on'), await hiddenIn('off'), await hiddenIn('hidden')]).toEqual([false, true, false])
})
