import { readRules, runCases } from 'toolwire/rules'
import { describe, expect, it } from 'vitest'
import type { Outlook } from '../../src/api/types.js'
import { isLooser, sortedChanges } from '../../src/policy/edit/ChangePreview.js'
import { draftFollowing, draftOf, draftOnto, isChanged, isChangedOnDisk } from '../../src/policy/edit/draft.js'
import { failingCases, hiddenLines } from '../../src/policy/edit/EditRules.js'
import { lineCount, lineSpan } from '../../src/policy/edit/RulesEditor.js'
import { exampleCases, exampleConfig, exampleRules } from '../../src/policy/examples.js'

const file = { text: 'rules: []\n', version: 'v1' }
const newer = { text: 'rules: [] # newer\n', version: 'v2' }

describe('a draft', () => {
  it('follows the file while the draft is unchanged', () => {
    expect(draftFollowing(undefined, file)).toEqual({ base: file.text, version: 'v1', text: file.text })
    expect(draftFollowing(draftOf(file), newer)).toEqual(draftOf(newer))
  })

  it('keeps the text of the user when the file changes, and reports the change', () => {
    const mine = { ...draftOf(file), text: 'rules: [] # mine\n' }
    expect(isChanged(mine)).toBe(true)
    expect(draftFollowing(mine, newer)).toBe(mine)
    expect([isChangedOnDisk(mine, file), isChangedOnDisk(mine, newer)]).toEqual([false, true])
  })

  it('ends when the file contains it', () => {
    expect(draftFollowing({ ...draftOf(file), text: newer.text }, newer)).toEqual(draftOf(newer))
  })

  it('replaces a newer file only after the user has confirmed it', () => {
    const mine = { ...draftOf(file), text: 'rules: [] # mine\n' }
    expect(draftFollowing(mine, newer).version).toBe('v1')
    expect(draftOnto(mine, newer)).toEqual({ base: newer.text, version: 'v2', text: mine.text })
    expect(isChangedOnDisk(draftOnto(mine, newer), newer)).toBe(false)
  })
})

describe('lines', () => {
  it('are found by their number', () => {
    const text = 'one\ntwo\nthree'
    expect(lineCount(text)).toBe(3)
    const at = (line: number) => text.slice(lineSpan(text, line).from, lineSpan(text, line).to)
    expect([at(1), at(2), at(3), at(9)]).toEqual(['one', 'two', 'three', 'three'])
  })

  it('with hidden characters are reported', () => {
    expect(hiddenLines('tool: read_*\n\tdecision: allow\n')).toEqual([])
    expect(hiddenLines('a\ntool: r\u200bead\u202e_*')).toEqual([
      { line: 2, message: 'has a hidden character: ⟨U+200B⟩, zero-width space and 1 more' },
    ])
  })
})

describe('cases', () => {
  it('that fail are problems of the text, at their lines', () => {
    const holds = { name: 'reads', tool: 'read', ok: true, expected: 'allow', actual: 'allow', line: 9 }
    const fails = { name: 'deletes', tool: 'delete', ok: false, expected: 'deny', actual: 'ask by the default' }
    expect(failingCases([holds, { ...fails, line: 12 }, fails])).toEqual([
      { line: 12, message: 'deletes: expected deny, got ask by the default' },
      { message: 'deletes: expected deny, got ask by the default' },
    ])
  })
})

it('has valid examples, whose cases pass', async () => {
  const book = await readRules(`${exampleRules}${exampleCases}\n`)
  expect(runCases(book)).toEqual({ passed: 1, failed: [] })
  expect(JSON.parse(`{${exampleConfig}}`)).toEqual({ toolwire: { policy: 'policy.yaml' } })
})

describe('the effect of a change', () => {
  const change = (before: Outlook, after: Outlook) => ({ tool: 'x', caller: 'y', before, after })

  it('allows more if a decision becomes less strict', () => {
    expect([isLooser(change('deny', 'ask')), isLooser(change('ask', 'allow')), isLooser(change('deny', 'allow'))]).toEqual([
      true,
      true,
      true,
    ])
    expect([isLooser(change('allow', 'ask')), isLooser(change('ask', 'deny'))]).toEqual([false, false])
  })

  it('may allow more if it depends on the arguments, unless everything was allowed before', () => {
    expect([
      isLooser(change('deny', 'depends')),
      isLooser(change('ask', 'depends')),
      isLooser(change('depends', 'allow')),
    ]).toEqual([true, true, true])
    expect([isLooser(change('allow', 'depends')), isLooser(change('depends', 'deny'))]).toEqual([false, false])
  })

  it('lists the decisions that allow more first', () => {
    expect(sortedChanges([change('allow', 'deny'), change('deny', 'allow')])[0]?.after).toBe('allow')
  })
})
