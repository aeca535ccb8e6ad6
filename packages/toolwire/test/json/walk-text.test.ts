import { expect, it } from 'vitest'
import { walkText } from '../../src/json/walk-text.js'

it('characters that begin no token are skipped', () => {
  const seen: string[] = []
  const text = '[#1, ü, {"a": €true'
  walkText(text, (kind, start, end) => {
    if (seen.push(`${kind} ${text.slice(start, end)}`) > text.length) throw new Error('It does not end')
  })
  expect(seen).toEqual(['list [', 'number 1', 'object {', 'key "a"', 'word true'])
})
