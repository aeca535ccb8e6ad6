// Parameters that clients repeat in headers.

import type { JsonObject } from 'toolwire'
import { type Check, checksOf } from '../../check.js'
import { isObject, jsonOf, textOf } from '../../json.js'
import { perRequest } from '../../revisions.js'
import { type HeaderAnnotation, headerAnnotationsIn } from '../../session/request-headers.js'
import { enforcedUnless, enforcedUnlessAny, notTried } from '../../verdict.js'
import { toolLabel } from '../tools/lists.js'

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const sensitive =
  /pass(word|wd|phrase)|secret|api.?key|\bssn\b|credential|(?:access|auth|bearer|refresh|session|id)[_-]?token$|^token$/i
const kinds = ['string', 'integer', 'boolean']

export const headerAnnotationChecks = checksOf({ needs: 'tools', level: 'MUST', revisions: [perRequest], page: 'server/tools' })({
  'mark-token': {
    sentence: 'x-mcp-header is a valid header name.',
    how: 'Reads each x-mcp-header',
    run: eachAnnotation(({ header }) =>
      typeof header === 'string' && token.test(header) ? undefined : `${jsonOf(header)} is not a header name`,
    ),
  },
  'mark-unique': {
    sentence: 'No two parameters of a tool are repeated in the same header, compared without case.',
    how: 'Compares each x-mcp-header',
    run: eachAnnotation(({ header }, all) =>
      all.filter((one) => textOf(one.header).toLowerCase() === textOf(header).toLowerCase()).length > 1
        ? `Two parameters use the header ${jsonOf(header)}`
        : undefined,
    ),
  },
  'mark-kind': {
    sentence: 'Only strings, integers and booleans are repeated in headers.',
    how: 'Reads the type of each parameter with x-mcp-header',
    run: eachAnnotation(({ schema }) =>
      kinds.includes(textOf(schema.type)) ? undefined : `A parameter of type ${jsonOf(schema.type)} is repeated`,
    ),
  },
  'mark-reachable': {
    page: 'basic/transports/streamable-http',
    sentence: 'x-mcp-header is only on properties that are reached through "properties" alone.',
    how: 'Compares the annotations on such properties with all annotations',
    run: async (attempt) => {
      const tools = (await attempt.tools()).filter(({ inputSchema }) => annotationsAnywhere(inputSchema, 0) > 0)
      if (tools.length === 0) return notTried('No tool has an x-mcp-header')
      const faults = tools.filter(
        ({ inputSchema }) => annotationsAnywhere(inputSchema, 0) !== headerAnnotationsIn(inputSchema).length,
      )
      return enforcedUnlessAny(
        faults,
        (tool) => `${toolLabel(tool)} has an x-mcp-header elsewhere`,
        'All annotations are reachable',
      )
    },
  },
  'mark-sensitive': {
    level: 'SHOULD',
    sentence: 'Passwords, keys and tokens are not repeated in headers.',
    how: 'Reads the names of the parameters with x-mcp-header',
    run: eachAnnotation(({ path }) => (sensitive.test(path.at(-1) ?? '') ? `${path.join('.')} is repeated` : undefined)),
  },
})

function eachAnnotation(fault: (mark: HeaderAnnotation, all: readonly HeaderAnnotation[]) => string | undefined): Check['run'] {
  return async (attempt) => {
    const marks = (await attempt.tools()).map(({ inputSchema }) => headerAnnotationsIn(inputSchema))
    if (marks.flat().length === 0) return notTried('No tool has an x-mcp-header')
    const faults = marks.flatMap((all) => all.flatMap((mark) => fault(mark, all) ?? []))
    return enforcedUnless(faults, `Annotations checked: ${marks.flat().length}`)
  }
}

function annotationsAnywhere(schema: JsonObject[string] | undefined, depth: number): number {
  if (typeof schema !== 'object' || schema === null || depth > 60) return 0
  const here = isObject(schema) && 'x-mcp-header' in schema ? 1 : 0
  return Object.values(schema).reduce<number>((sum, one) => sum + annotationsAnywhere(one, depth + 1), here)
}
