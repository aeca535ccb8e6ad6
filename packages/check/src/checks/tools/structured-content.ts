import type { Json } from 'toolwire'
import type { Attempt } from '../../attempt.js'
import { checksOf } from '../../check.js'
import { isObject, objectsIn, parsedJson, textOf } from '../../json.js'
import { between, dialects, since, streamable, structured, until } from '../../revisions.js'
import { isCompilable, isValid } from '../../sample-arguments.js'
import { enforcedUnless, missingBecause, notTried } from '../../verdict.js'
import { eachResult } from './results.js'

export const structuredContentChecks = checksOf({
  needs: 'tools',
  level: 'MUST',
  revisions: since(structured),
  page: 'server/tools',
})({
  'structured-none': {
    level: 'ADVICE',
    revisions: until(streamable),
    page: 'schema',
    sentence: 'Results have no structuredContent in this revision.',
    how: 'Reads the results of the sample calls',
    run: eachResult((result) => ('structuredContent' in result ? 'The result has structuredContent' : undefined)),
  },
  'structured-object': {
    revisions: between(structured, dialects),
    sentence: 'structuredContent is an object.',
    how: 'Reads the results of the sample calls',
    run: eachResult(({ structuredContent: value }) =>
      value === undefined || isObject(value) ? undefined : 'structuredContent is not an object',
    ),
  },
  'structured-fits': {
    sentence: 'A tool with an output schema gives structuredContent that fits it.',
    how: 'Checks the results of the sample calls against the output schemas',
    run: async (attempt) => {
      const checked = (await attempt.results()).filter(
        ({ tool, result }) => tool.outputSchema !== undefined && isCompilable(tool.outputSchema) && result.isError !== true,
      )
      if (checked.length === 0) return notTried('No call succeeded of a tool with a readable output schema')
      const faults = checked.flatMap(({ tool, result: { structuredContent: value } }) => {
        if (value === undefined) return [`${textOf(tool.name)} returned no structuredContent`]
        return isValid(tool.outputSchema ?? null, value) ? [] : [`The structuredContent of ${textOf(tool.name)} does not fit`]
      })
      return enforcedUnless(faults, `${checked.length} results fit`)
    },
  },
  'structured-text': {
    level: 'SHOULD',
    sentence: 'A result with structuredContent has the same JSON as text.',
    how: 'Reads the results of the sample calls',
    run: besideText,
  },
})

async function besideText(attempt: Attempt) {
  const checked = (await attempt.results()).filter(({ result }) => result.structuredContent !== undefined)
  if (checked.length === 0) return notTried('No result has structuredContent')
  const alone = checked.find(
    ({ result }) =>
      !objectsIn(result.content).some(({ text }) => typeof text === 'string' && says(text, result.structuredContent)),
  )
  return alone
    ? missingBecause(`${textOf(alone.tool.name)} returns no text with the same JSON`)
    : enforcedUnless([], `Results checked: ${checked.length}`)
}

/** Does the text parse to this value? */
function says(text: string, value: Json | undefined): boolean {
  const said = parsedJson(text)
  return said !== undefined && sorted(said) === sorted(value ?? null)
}

const sorted = (value: Json): string =>
  JSON.stringify(value, (_, one) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
  )
