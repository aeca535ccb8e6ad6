// What a list of tools says.
import type { JsonObject } from 'toolwire'
import type { Attempt } from '../../attempt.js'
import type { Check } from '../../check.js'
import { isObject } from '../../json.js'
import { dialects, every, first, perRequest, since, streamable, structured, until } from '../../revisions.js'
import { enforcedUnless, missingBecause, notTried, type Verdict } from '../../verdict.js'

const page = 'server/tools'
const namePattern = /^[A-Za-z0-9_.-]{1,128}$/

export const listChecks: readonly Check[] = [
  {
    id: 'list-shape',
    level: 'MUST',
    revisions: every,
    page,
    sentence: 'tools/list gives a list of tools, each with a name and an input schema.',
    how: 'Lists the tools',
    run: async (attempt) => {
      const pages = await attempt.pages()
      if (pages.length === 0) return notTools(attempt)
      if (pages.some(({ result }) => !Array.isArray(result.tools))) return missingBecause('"tools" is no list')
      const faults = (await attempt.tools()).flatMap((tool) => [
        ...(typeof tool.name === 'string' ? [] : ['A tool has no name']),
        ...('inputSchema' in tool ? [] : [`${toolLabel(tool)} has no inputSchema`]),
      ])
      return enforcedUnless(faults, 'Each has both')
    },
  },
  eachTool('list-description', 'ADVICE', {
    sentence: 'A tool says what it does.',
    how: 'Looks for descriptions',
    fault: ({ description }) => (typeof description === 'string' && description.trim() !== '' ? undefined : 'has no description'),
  }),
  {
    ...eachTool('list-names', 'SHOULD', {
      sentence: 'Names have 1 to 128 letters, digits, underscores, hyphens and dots.',
      how: 'Reads the names',
      fault: ({ name }) => (namePattern.test(String(name)) ? undefined : 'is no such name'),
    }),
    revisions: since(dialects),
  },
  {
    id: 'list-names-unique',
    level: 'SHOULD',
    revisions: since(dialects),
    page,
    sentence: 'No two tools have the same name.',
    how: 'Compares the names',
    run: async (attempt) => {
      const names = (await attempt.tools()).map(({ name }) => String(name))
      const twice = names.filter((name, at) => names.indexOf(name) !== at)
      return enforcedUnless(
        twice.map((name) => `${name} is there twice`),
        `${names.length} different names`,
      )
    },
  },
  nonTools('list-no-annotations', 'annotations', until(first)),
  nonTools('list-no-output-schema', 'outputSchema', until(streamable)),
  nonTools('list-no-title', 'title', until(streamable)),
  nonTools('list-no-icons', 'icons', until(structured)),
  nonTools('list-no-execution', 'execution', [...until(structured), perRequest]),
  {
    id: 'list-annotations',
    level: 'MUST',
    revisions: since(streamable),
    page: 'schema',
    sentence: 'Annotations are an object whose hints are true or false.',
    how: 'Reads the annotations',
    run: async (attempt) => {
      const faults = (await attempt.tools()).filter(({ annotations }) => annotations !== undefined && !areHints(annotations))
      return enforcedUnless(
        faults.map((tool) => `${toolLabel(tool)} has others`),
        'All of them are',
      )
    },
  },
]

type ToolInspection = {
  readonly sentence: string
  readonly how: string
  readonly fault: (tool: JsonObject) => string | undefined
}

/** A row that looks at each tool. */
function eachTool(id: string, level: Check['level'], { sentence, how, fault }: ToolInspection): Check {
  const run = async (attempt: Attempt): Promise<Verdict> => {
    const faults = (await attempt.tools()).flatMap((tool) => {
      const found = fault(tool)
      return found === undefined ? [] : [`${toolLabel(tool)} ${found}`]
    })
    return enforcedUnless(faults, 'All of them do')
  }
  return { id, level, revisions: every, page, sentence, how, run }
}

/** A field that tools of these editions do not have. */
function nonTools(id: string, field: string, revisions: Check['revisions']): Check {
  const look = { sentence: `Tools have no "${field}" in this edition.`, how: 'Lists the tools' }
  return {
    ...eachTool(id, 'ADVICE', { ...look, fault: (tool) => (field in tool ? `has "${field}"` : undefined) }),
    revisions: revisions,
    page: 'schema',
  }
}

async function notTools(attempt: Attempt): Promise<Verdict> {
  const { tools } = await attempt.capabilities()
  return tools === undefined
    ? notTried('The server has no tools')
    : missingBecause('tools/list gave no result, though tools are declared')
}

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']
const areHints = (value: JsonObject[string]): boolean =>
  isObject(value) && hints.every((hint) => value[hint] === undefined || typeof value[hint] === 'boolean')

/** A tool as the report names it. */
export const toolLabel = ({ name }: JsonObject): string => JSON.stringify(name) ?? 'a tool'
