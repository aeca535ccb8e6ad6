import type { JsonObject } from 'toolwire'
import type { Attempt } from '../../attempt.js'
import { type Check, checksOf } from '../../check.js'
import { isObject, objectsIn } from '../../json.js'
import { every, since, structured } from '../../revisions.js'
import { excerptOf } from '../../session/transcript.js'
import { enforcedUnless, notTried } from '../../verdict.js'
import { controlCharactersIn, secretsIn } from './unwanted-text.js'

const largest = 1024 * 1024

export const resultChecks = checksOf({
  level: 'MUST',
  revisions: every,
  page: 'server/tools',
  how: 'Looks at the results of calls',
})({
  'result-content': {
    sentence: 'A result has a list of content.',
    run: eachResult((result) => (Array.isArray(result.content) ? undefined : '"content" is no list')),
  },
  'result-kinds': {
    sentence: 'Content is of the kinds this revision has.',
    run: eachBlock(({ type }, attempt) =>
      attempt.revision.blocks.includes(String(type)) ? undefined : `There is content of the type ${JSON.stringify(type)}`,
    ),
  },
  'result-text': {
    sentence: 'A block of text has a text.',
    run: eachBlock(({ type, text }) => (type === 'text' && typeof text !== 'string' ? 'A block of text has none' : undefined)),
  },
  'result-media': {
    sentence: 'Images and sounds are base64, and say their type.',
    run: eachBlock(({ type, data, mimeType }) =>
      (type === 'image' || type === 'audio') && (typeof mimeType !== 'string' || !isBase64(data))
        ? `A block of type ${String(type)} does not`
        : undefined,
    ),
  },
  'result-resource': {
    sentence: 'An embedded resource has a URI, and a text or a blob.',
    run: eachBlock(({ type, resource }) => (type === 'resource' && !isResource(resource) ? 'One has not' : undefined)),
  },
  'result-link': {
    sentence: 'A link to a resource has a URI and a name.',
    run: eachBlock(({ type, uri, name }) =>
      type === 'resource_link' && (typeof uri !== 'string' || typeof name !== 'string') ? 'One has not' : undefined,
    ),
  },
  'result-annotations': {
    level: 'SHOULD',
    sentence: 'Annotations of content name an audience of users and assistants, and a priority from 0 to 1.',
    run: eachBlock(({ annotations }) =>
      annotations === undefined || areAnnotations(annotations) ? undefined : `There are others: ${JSON.stringify(annotations)}`,
    ),
  },
  'result-is-error': {
    page: 'schema',
    sentence: 'isError is true or false, or not there.',
    run: eachResult(({ isError }) =>
      isError === undefined || typeof isError === 'boolean' ? undefined : `It is ${JSON.stringify(isError)}`,
    ),
  },
  'result-resources-declared': {
    level: 'SHOULD',
    revisions: since(structured),
    sentence: 'A server that embeds resources declares the capability resources.',
    how: 'Looks for embedded resources in the results of calls',
    run: async (attempt) => {
      const { resources } = await attempt.capabilities()
      const results = await attempt.results()
      const embeds = results.some(({ result }) => objectsIn(result.content).some(({ type }) => type === 'resource'))
      if (!embeds) return notTried('No call gave one')
      return enforcedUnless(resources === undefined ? ['It does not'] : [], 'It does')
    },
  },
  'result-controls': {
    level: 'ADVICE',
    sentence: 'Results are cleaned: no control characters and no sequences that steer a terminal.',
    how: 'Looks for them in the results of calls',
    run: eachResult(controlCharactersIn),
  },
  'result-secrets': {
    level: 'ADVICE',
    sentence: 'Results are cleaned: no private keys and no tokens of well-known services.',
    how: 'Looks for what has their shape in the results of calls',
    run: eachResult(secretsIn),
  },
  'result-size': {
    level: 'ADVICE',
    sentence: 'A result is of a size that a model can be given: no more than a megabyte.',
    how: 'Measures the results of calls',
    run: eachResult((result) => (JSON.stringify(result).length > largest ? 'One is larger' : undefined)),
  },
})

export function eachResult(fault: (result: JsonObject, attempt: Attempt) => string | undefined): Check['run'] {
  return async (attempt) => {
    const results = await attempt.results()
    if (results.length === 0) return notTried('No call gave a result')
    const faults = results.flatMap(({ tool, result }) => {
      const found = fault(result, attempt)
      return found === undefined ? [] : [`${excerptOf(String(tool.name))}: ${found}`]
    })
    return enforcedUnless(faults, `${results.length} results looked at`)
  }
}

function eachBlock(fault: (block: JsonObject, attempt: Attempt) => string | undefined): Check['run'] {
  return eachResult(({ content }, attempt) => objectsIn(content).flatMap((block) => fault(block, attempt) ?? [])[0])
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
