import { describe, expect, it } from 'vitest'
import { fixtures } from '../src/fixtures/app.js'
import { contentTools } from '../src/fixtures/content.js'

describe('the fixtures', () => {
  it('are accepted by a server', () => {
    expect(fixtures().tools.names.length).toBeGreaterThan(35)
  })

  it('begin with a tool that needs no arguments, because the suite calls the first tool without arguments', () => {
    expect(fixtures().tools.names[0]).toBe('test_simple_text')
    expect(contentTools.test_simple_text.definition.input).toBeUndefined()
  })
})
