// What a call gives back.
import type { JsonObject } from 'toolwire'
import type { Attempt } from '../../attempt.js'
import type { Check } from '../../check.js'
import type { Level } from '../../check-report.js'
import { isObject, objectsIn } from '../../json.js'
import { every, since, structured } from '../../revisions.js'
import { excerptOf } from '../../session/transcript.js'
import { enforcedUnless, notTried, type Verdict } from '../../verdict.js'
import { controlCharactersIn, secretsIn } from './unwanted-text.js'

const page = 'server/tools'
const nothing = 'No call gave a result'
const largest = 1024 * 1024

export const resultChecks: readonly Check[] = [
  {
    id: 'result-content',
    level: 'MUST',
    revisions: every,
    page,
    sentence: 'A result has a list of content.',
    how: 'Looks at the results of calls',
    run: (attempt) => eachResult(attempt, (result) => (Array.isArray(result.content) ? undefined : '"content" is no list')),
  },
  blocks('result-kinds', 'MUST', {
    sentence: 'Content is of the kinds this edition has.',
    fault: ({ type }, attempt) =>
      attempt.revision.blocks.includes(String(type)) ? undefined : `There is content of the type ${JSON.stringify(type)}`,
  }),
  blocks('result-text', 'MUST', {
    sentence: 'A block of text has a text.',
    fault: ({ type, text }) => (type === 'text' && typeof text !== 'string' ? 'A block of text has none' : undefined),
  }),
  blocks('result-media', 'MUST', {
    sentence: 'Images and sounds are base64, and say their type.',
    fault: ({ type, data, mimeType }) =>
      (type === 'image' || type === 'audio') && (typeof mimeType !== 'string' || !isBase64(data))
        ? `A block of type ${String(type)} does not`
        : undefined,
  }),
  blocks('result-resource', 'MUST', {
    sentence: 'An embedded resource has a URI, and a text or a blob.',
    fault: ({ type, resource }) => (type === 'resource' && !isResource(resource) ? 'One has not' : undefined),
  }),
  blocks('result-link', 'MUST', {
    sentence: 'A link to a resource has a URI and a name.',
    fault: ({ type, uri, name }) =>
      type === 'resource_link' && (typeof uri !== 'string' || typeof name !== 'string') ? 'One has not' : undefined,
  }),
  blocks('result-annotations', 'SHOULD', {
    sentence: 'Annotations of content name an audience of users and assistants, and a priority from 0 to 1.',
    fault: ({ annotations }) =>
      annotations === undefined || areAnnotations(annotations) ? undefined : `There are others: ${JSON.stringify(annotations)}`,
  }),
  {
    id: 'result-is-error',
    level: 'MUST',
    revisions: every,
    page: 'schema',
    sentence: 'isError is true or false, or not there.',
    how: 'Looks at the results of calls',
    run: (attempt) =>
      eachResult(attempt, ({ isError }) =>
        isError === undefined || typeof isError === 'boolean' ? undefined : `It is ${JSON.stringify(isError)}`,
      ),
  },
  {
    id: 'result-resources-declared',
    level: 'SHOULD',
    revisions: since(structured),
    page,
    sentence: 'A server that embeds resources declares the capability resources.',
    how: 'Looks for embedded resources in the results of calls',
    run: async (attempt) => {
      const { resources } = await attempt.capabilities()
      const embeds = (await attempt.results()).filter(({ result }) =>
        objectsIn(result.content).some(({ type }) => type === 'resource'),
      )
      if (embeds.length === 0) return notTried('No call gave one')
      return enforcedUnless(resources === undefined ? ['It does not'] : [], 'It does')
    },
  },
  {
    id: 'result-controls',
    level: 'ADVICE',
    revisions: every,
    page,
    sentence: 'Results are cleaned: no control characters and no sequences that steer a terminal.',
    how: 'Looks for them in the results of calls',
    run: (attempt) => eachResult(attempt, (result) => controlCharactersIn(result)),
  },
  {
    id: 'result-secrets',
    level: 'ADVICE',
    revisions: every,
    page,
    sentence: 'Results are cleaned: no private keys and no tokens of well-known services.',
    how: 'Looks for what has their shape in the results of calls',
    run: (attempt) => eachResult(attempt, (result) => secretsIn(result)),
  },
  {
    id: 'result-size',
    level: 'ADVICE',
    revisions: every,
    page,
    sentence: 'A result is of a size that a model can be given: no more than a megabyte.',
    how: 'Measures the results of calls',
    run: (attempt) => eachResult(attempt, (result) => (JSON.stringify(result).length > largest ? 'One is larger' : undefined)),
  },
]

/** A row that looks at each result. */
export async function eachResult(
  attempt: Attempt,
  fault: (result: JsonObject, tool: JsonObject) => string | undefined,
): Promise<Verdict> {
  const results = await attempt.results()
  if (results.length === 0) return notTried(nothing)
  const faults = results.flatMap(({ tool, result }) => {
    const found = fault(result, tool)
    return found === undefined ? [] : [`${excerptOf(String(tool.name))}: ${found}`]
  })
  return enforcedUnless(faults, `${results.length} results looked at`)
}

type BlockCheck = { readonly sentence: string; readonly fault: (block: JsonObject, attempt: Attempt) => string | undefined }

/** A row that looks at each block of content. */
function blocks(id: string, level: Level, { sentence, fault }: BlockCheck): Check {
  const run = (attempt: Attempt) =>
    eachResult(attempt, ({ content }) => objectsIn(content).flatMap((block) => fault(block, attempt) ?? [])[0])
  return { id, level, revisions: every, page, sentence, how: 'Looks at the results of calls', run }
}

const isBase64 = (value: unknown): boolean =>
  typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value)

function isResource(value: JsonObject[string] | undefined): boolean {
  return isObject(value) && typeof value.uri === 'string' && (typeof value.text === 'string' || isBase64(value.blob))
}

function areAnnotations(value: JsonObject[string]): boolean {
  if (!isObject(value)) return false
  const { audience, priority } = value
  const heard =
    audience === undefined || (Array.isArray(audience) && audience.every((one) => one === 'user' || one === 'assistant'))
  return heard && (priority === undefined || (typeof priority === 'number' && priority >= 0 && priority <= 1))
}
