// Parameters that clients repeat in headers.

import type { JsonObject } from 'toolwire'
import type { Attempt } from '../../attempt.js'
import type { Check } from '../../check.js'
import { isObject } from '../../json.js'
import { perRequest } from '../../revisions.js'
import { type HeaderAnnotation, headerAnnotationsIn } from '../../session/request-headers.js'
import { enforcedUnless, notTried, type Verdict } from '../../verdict.js'
import { toolLabel } from '../tools/lists.js'

const page = 'server/tools'
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const sensitive =
  /pass(word|wd|phrase)|secret|api.?key|\bssn\b|credential|(?:access|auth|bearer|refresh|session|id)[_-]?token$|^token$/i
const kinds = ['string', 'integer', 'boolean']
const revisions = [perRequest]

export const headerAnnotationChecks: readonly Check[] = [
  {
    id: 'mark-token',
    level: 'MUST',
    revisions: revisions,
    page,
    sentence: 'x-mcp-header is a name that a header can have.',
    how: 'Reads each x-mcp-header',
    run: (attempt) =>
      eachAnnotation(attempt, ({ header }) =>
        typeof header === 'string' && token.test(header) ? undefined : `${JSON.stringify(header)} is none`,
      ),
  },
  {
    id: 'mark-unique',
    level: 'MUST',
    revisions: revisions,
    page,
    sentence: 'No two parameters of a tool are repeated in the same header, compared without case.',
    how: 'Compares each x-mcp-header',
    run: (attempt) =>
      eachAnnotation(attempt, ({ header }, all) =>
        all.filter((one) => String(one.header).toLowerCase() === String(header).toLowerCase()).length > 1
          ? `${JSON.stringify(header)} is there twice`
          : undefined,
      ),
  },
  {
    id: 'mark-kind',
    level: 'MUST',
    revisions: revisions,
    page,
    sentence: 'Only texts, whole numbers and booleans are repeated in headers.',
    how: 'Reads the type of each parameter with x-mcp-header',
    run: (attempt) =>
      eachAnnotation(attempt, ({ schema }) =>
        kinds.includes(String(schema.type)) ? undefined : `A parameter of type ${JSON.stringify(schema.type)} is`,
      ),
  },
  {
    id: 'mark-reachable',
    level: 'MUST',
    revisions: revisions,
    page: 'basic/transports/streamable-http',
    sentence: 'x-mcp-header stands only where a property is reached through "properties" alone.',
    how: 'Compares the marks that are reached that way with all there are',
    run: async (attempt) => {
      const tools = (await attempt.tools()).filter(({ inputSchema }) => annotationsAnywhere(inputSchema, 0) > 0)
      if (tools.length === 0) return notTried('No tool has an x-mcp-header')
      const faults = tools.filter(
        ({ inputSchema }) => annotationsAnywhere(inputSchema, 0) !== headerAnnotationsIn(inputSchema).length,
      )
      return enforcedUnless(
        faults.map((tool) => `${toolLabel(tool)} has one elsewhere`),
        'All of them do',
      )
    },
  },
  {
    id: 'mark-sensitive',
    level: 'SHOULD',
    revisions: revisions,
    page,
    sentence: 'Passwords, keys and tokens are not repeated in headers.',
    how: 'Reads the names of the parameters with x-mcp-header',
    run: (attempt) =>
      eachAnnotation(attempt, ({ path }) => (sensitive.test(path.at(-1) ?? '') ? `${path.join('.')} is` : undefined)),
  },
]

async function eachAnnotation(
  attempt: Attempt,
  fault: (mark: HeaderAnnotation, all: readonly HeaderAnnotation[]) => string | undefined,
): Promise<Verdict> {
  const marks = (await attempt.tools()).map(({ inputSchema }) => headerAnnotationsIn(inputSchema))
  if (marks.flat().length === 0) return notTried('No tool has an x-mcp-header')
  const faults = marks.flatMap((all) => all.flatMap((mark) => fault(mark, all) ?? []))
  return enforcedUnless(faults, `${marks.flat().length} looked at`)
}

function annotationsAnywhere(schema: JsonObject[string] | undefined, depth: number): number {
  if (typeof schema !== 'object' || schema === null || depth > 60) return 0
  const here = isObject(schema) && 'x-mcp-header' in schema ? 1 : 0
  return Object.values(schema).reduce<number>((sum, one) => sum + annotationsAnywhere(one, depth + 1), here)
}
