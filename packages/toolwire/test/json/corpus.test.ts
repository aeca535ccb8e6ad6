import { describe, expect, it } from 'vitest'
import { JsonError, parseJson } from '../../src/json.js'
import { readMessage } from '../../src/jsonrpc/read-message.js'
import { corpus, open, stricter } from './verdicts.js'

const files = corpus()

describe('the 318 files of the parsing corpus', () => {
  it('are complete, and each listed exception names one of them', () => {
    const names = new Set(files.map((file) => file.name))
    expect(names.size).toBe(318)
    for (const name of [...Object.keys(stricter), ...Object.keys(open)]) expect(names).toContain(name)
  })

  it.each(files)('$verdict $name', ({ bytes, verdict }) => {
    if (verdict === 'accept') expect(parseJson(bytes)).toEqual(JSON.parse(new TextDecoder().decode(bytes)))
    else expect(() => parseJson(bytes)).toThrow(JsonError)
  })

  it('BASE-011 BASE-015 refused files are parse errors, accepted ones are not', () => {
    for (const { name, bytes, verdict } of files) {
      const message = readMessage(bytes)
      const isParseError = message.kind === 'invalid' && message.error.code === -32700
      expect(isParseError, name).toBe(verdict === 'refuse')
    }
  })
})
