// Results that are data.
import type { Json } from 'toolwire'
import { between, dialects, since, streamable, structured, until } from '../editions.js'
import { isObject, objectsIn } from '../json.js'
import type { Row } from '../row.js'
import { compiles, fits } from '../sample-arguments.js'
import type { Trial } from '../trial.js'
import { missing, notTried, unless } from '../verdict.js'
import { eachResult } from './results.js'

const page = 'server/tools'

export const structuredRows: readonly Row[] = [
  {
    id: 'structured-none',
    level: 'ADVICE',
    editions: until(streamable),
    page: 'schema',
    sentence: 'Results have no structuredContent in this edition.',
    how: 'Looks at the results of calls',
    run: (trial) => eachResult(trial, (result) => ('structuredContent' in result ? 'There is structuredContent' : undefined)),
  },
  {
    id: 'structured-object',
    level: 'MUST',
    editions: between(structured, dialects),
    page,
    sentence: 'structuredContent is an object.',
    how: 'Looks at the results of calls',
    run: (trial) =>
      eachResult(trial, ({ structuredContent: value }) => (value === undefined || isObject(value) ? undefined : 'It is none')),
  },
  {
    id: 'structured-fits',
    level: 'MUST',
    editions: since(structured),
    page,
    sentence: 'A tool with an output schema gives structuredContent that fits it.',
    how: 'Checks the results of calls against the output schemas',
    run: async (trial) => {
      const told = (await trial.results()).filter(
        ({ tool, result }) => tool.outputSchema !== undefined && compiles(tool.outputSchema) && result.isError !== true,
      )
      if (told.length === 0) return notTried('No call of a tool with an output schema that can be read succeeded')
      const faults = told.flatMap(({ tool, result: { structuredContent: value } }) => {
        if (value === undefined) return [`${String(tool.name)} gave none`]
        return fits(tool.outputSchema ?? null, value) ? [] : [`What ${String(tool.name)} gave does not fit`]
      })
      return unless(faults, `${told.length} results fit`)
    },
  },
  {
    id: 'structured-text',
    level: 'SHOULD',
    editions: since(structured),
    page,
    sentence: 'Beside structuredContent stands the same as text.',
    how: 'Looks at the results of calls',
    run: besideText,
  },
]

async function besideText(trial: Trial) {
  const told = (await trial.results()).filter(({ result }) => result.structuredContent !== undefined)
  if (told.length === 0) return notTried('No call gave any')
  const alone = told.find(
    ({ result }) =>
      !objectsIn(result.content).some(({ text }) => typeof text === 'string' && says(text, result.structuredContent)),
  )
  return alone
    ? missing(`${String(alone.tool.name)} gives no text that is the same JSON`)
    : unless([], `${told.length} looked at`)
}

/** Whether a text is this value. */
function says(text: string, value: Json | undefined): boolean {
  try {
    return sorted(JSON.parse(text)) === sorted(value ?? null)
  } catch {
    return false // it says something else
  }
}

const sorted = (value: Json): string =>
  JSON.stringify(value, (_, one) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
  )
