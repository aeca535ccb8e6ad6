// The official JSON Schema tests as members of a tool. The model can produce every value that the tool accepts, unless a loss was reported.
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/json.js'
import { lowerToGemini } from '../../src/llm/lower/lower-to-gemini.js'
import { lowerToObject } from '../../src/llm/lower/lower-to-object.js'
import { losses } from '../../src/llm/lower/lowered.js'
import { plainSchema } from '../../src/llm/lower/plain-schema.js'
import { compile, SchemaError } from '../../src/schema/index.js'
import { corpora, type SuiteGroup, suiteFiles } from '../schema/corpora.js'
import { backFromGemini } from './provider-rules.js'

const dialects = {
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
  draft7: 'http://json-schema.org/draft-07/schema#',
} as const
type Draft = keyof typeof dialects
type Case = SuiteGroup & { readonly draft: Draft }

/** Rewrites references to the root of the schema, which becomes a member here. */
function asMember(schema: Json, draft: Draft): JsonObject {
  const moved = JSON.stringify(schema).replaceAll(/"\$ref":\s*"#(?=["/])/g, '"$ref":"#/properties/x')
  const x: Json = JSON.parse(moved)
  return { $schema: dialects[draft], type: 'object', properties: { x }, required: ['x'] }
}

/** Values that the tool accepts but the lowered schema does not, although no loss was reported. */
function silentLosses(
  { schema, tests, draft }: Case,
  lower: typeof lowerToObject,
  back: (schema: JsonObject) => JsonObject,
): Json[] {
  const { noted, reportLoss } = losses()
  const tool = asMember(schema, draft)
  const low = compile(back(lower(plainSchema(tool, reportLoss), reportLoss).schema))
  if (noted.length > 0) return []
  return tests.map(({ data }) => data).filter((x) => compile(tool).check({ x }).length === 0 && low.check({ x }).length > 0)
}

describe.each([
  ['objects of JSON Schema', lowerToObject, (schema: JsonObject) => schema],
  ['Gemini', lowerToGemini, backFromGemini],
] as const)('the tests of JSON Schema, lowered to %s', (_, lower, back) => {
  it.each(['draft2020-12', 'draft7'] as const)('%s: have no unreported losses', (draft) => {
    const lost = suiteFiles(corpora, draft).flatMap(({ file, groups }) =>
      groups.flatMap((group) => {
        try {
          return silentLosses({ ...group, draft }, lower, back).map(
            (data) => `${file}: ${group.description}: ${JSON.stringify(data)}`,
          )
        } catch (thrown) {
          // Schemas with references to other documents are skipped, because no such tool could be called.
          if (thrown instanceof SchemaError) return []
          throw thrown
        }
      }),
    )
    expect(lost).toEqual([])
  })
})
