import type { JsonObject } from 'toolwire'
import type { Attempt } from '../../attempt.js'
import { type Check, checksOf } from '../../check.js'
import { isObject, jsonOf, objectsIn, textOf } from '../../json.js'
import { every, since, structured } from '../../revisions.js'
import { excerptOf } from '../../session/transcript.js'
import { enforcedUnless, notTried } from '../../verdict.js'
import { controlCharactersIn, secretsIn } from './unwanted-text.js'

const largest = 1024 * 1024

export const resultChecks = checksOf({
  needs: 'tools',
  level: 'MUST',
  revisions: every,
  page: 'server/tools',
  how: 'Reads the results of the sample calls',
})({
  'result-content': {
    sentence: 'A result has a list of content.',
    run: eachResult((result) => (Array.isArray(result.content) ? undefined : '"content" is not a list')),
  },
  'result-kinds': {
    sentence: 'Content has only types of this revision.',
    run: eachBlock(({ type }, attempt) =>
      attempt.revision.blocks.includes(textOf(type)) ? undefined : `There is content of the type ${jsonOf(type)}`,
    ),
  },
  'result-text': {
    sentence: 'A text block has a text.',
    run: eachBlock(({ type, text }) => (type === 'text' && typeof text !== 'string' ? 'A text block has no text' : undefined)),
  },
  'result-media': {
    sentence: 'Images and audio are base64 and have a MIME type.',
    run: eachBlock(({ type, data, mimeType }) =>
      (type === 'image' || type === 'audio') && (typeof mimeType !== 'string' || !isBase64(data))
        ? `A block of type ${textOf(type)} is not base64 or has no MIME type`
        : undefined,
    ),
  },
  'result-resource': {
    sentence: 'An embedded resource has a URI, and a text or a blob.',
    run: eachBlock(({ type, resource }) =>
      type === 'resource' && !isResource(resource) ? 'A resource has no URI, or no text and no blob' : undefined,
    ),
  },
  'result-link': {
    sentence: 'A link to a resource has a URI and a name.',
    run: eachBlock(({ type, uri, name }) =>
      type === 'resource_link' && (typeof uri !== 'string' || typeof name !== 'string')
        ? 'A link has no URI or no name'
        : undefined,
    ),
  },
  'result-annotations': {
    level: 'SHOULD',
    sentence: 'Annotations of content name an audience of users and assistants, and a priority from 0 to 1.',
    run: eachBlock(({ annotations }) =>
      annotations === undefined || areAnnotations(annotations) ? undefined : `Other annotations: ${jsonOf(annotations)}`,
    ),
  },
  'result-is-error': {
    page: 'schema',
    sentence: 'isError is true, false or absent.',
    run: eachResult(({ isError }) =>
      isError === undefined || typeof isError === 'boolean' ? undefined : `isError is ${jsonOf(isError)}`,
    ),
  },
  'result-resources-declared': {
    level: 'SHOULD',
    revisions: since(structured),
    sentence: 'A server that embeds resources declares the capability resources.',
    how: 'Looks for embedded resources in the results of the sample calls',
    run: async (attempt) => {
      const { resources } = await attempt.capabilities()
      const results = await attempt.results()
      const embeds = results.some(({ result }) => objectsIn(result.content).some(({ type }) => type === 'resource'))
      if (!embeds) return notTried('No result embeds a resource')
      return enforcedUnless(resources === undefined ? ['The capability is not declared'] : [], 'The capability is declared')
    },
  },
  'result-controls': {
    level: 'ADVICE',
    sentence: 'Results are sanitized: no control characters and no escape sequences of terminals.',
    how: 'Looks for control characters in the results of the sample calls',
    run: eachResult(controlCharactersIn),
  },
  'result-secrets': {
    level: 'ADVICE',
    sentence: 'Results are sanitized: no private keys and no tokens of well-known services.',
    how: 'Looks for the formats of secrets in the results of the sample calls',
    run: eachResult(secretsIn),
  },
  'result-size': {
    level: 'ADVICE',
    sentence: 'A result is small enough for a model: at most a megabyte.',
    how: 'Measures the results of the sample calls',
    run: eachResult((result) => (JSON.stringify(result).length > largest ? 'The result is larger' : undefined)),
  },
})

export function eachResult(fault: (result: JsonObject, attempt: Attempt) => string | undefined): Check['run'] {
  return async (attempt) => {
    const results = await attempt.results()
    if (results.length === 0) return notTried('No call gave a result')
    const faults = results.flatMap(({ tool, result }) => {
      const found = fault(result, attempt)
      return found === undefined ? [] : [`${excerptOf(textOf(tool.name))}: ${found}`]
    })
    return enforcedUnless(faults, `Results checked: ${results.length}`)
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
