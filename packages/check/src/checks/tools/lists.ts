import type { JsonObject } from 'toolwire'
import { type Check, checksOf } from '../../check.js'
import { isObject, jsonOf, textOf } from '../../json.js'
import { dialects, every, first, perRequest, since, streamable, structured, until } from '../../revisions.js'
import { enforcedUnless, enforcedUnlessAny, missingBecause } from '../../verdict.js'

const namePattern = /^[A-Za-z0-9_.-]{1,128}$/

export const listChecks = checksOf({
  needs: 'tools',
  level: 'ADVICE',
  revisions: every,
  page: 'server/tools',
  how: 'Lists the tools',
})({
  'list-shape': {
    level: 'MUST',
    sentence: 'tools/list gives a list of tools, each with a name and an input schema.',
    run: async (attempt) => {
      const pages = await attempt.pages()
      if (pages.length === 0) return missingBecause('tools/list gave no result, though tools are declared')
      if (pages.some(({ result }) => !Array.isArray(result.tools))) return missingBecause('"tools" is not a list')
      const faults = (await attempt.tools()).flatMap((tool) => [
        ...(typeof tool.name === 'string' ? [] : ['A tool has no name']),
        ...('inputSchema' in tool ? [] : [`${toolLabel(tool)} has no inputSchema`]),
      ])
      return enforcedUnless(faults, 'Each tool has both')
    },
  },
  'list-description': {
    sentence: 'A tool has a description.',
    how: 'Reads the descriptions',
    run: eachTool(({ description }) => typeof description === 'string' && description.trim() !== '', 'has no description'),
  },
  'list-names': {
    level: 'SHOULD',
    revisions: since(dialects),
    sentence: 'Names have 1 to 128 letters, digits, underscores, hyphens and dots.',
    how: 'Reads the names',
    run: eachTool(({ name }) => namePattern.test(textOf(name)), 'is not such a name'),
  },
  'list-names-unique': {
    level: 'SHOULD',
    revisions: since(dialects),
    sentence: 'No two tools have the same name.',
    how: 'Compares the names',
    run: async (attempt) => {
      const names = (await attempt.tools()).map(({ name }) => textOf(name))
      const twice = names.filter((name, at) => names.indexOf(name) !== at)
      return enforcedUnlessAny(twice, (name) => `Two tools have the name ${name}`, `${names.length} different names`)
    },
  },
  'list-no-annotations': { revisions: until(first), ...without('annotations') },
  'list-no-output-schema': { revisions: until(streamable), ...without('outputSchema') },
  'list-no-title': { revisions: until(streamable), ...without('title') },
  'list-no-icons': { revisions: until(structured), ...without('icons') },
  'list-no-execution': { revisions: [...until(structured), perRequest], ...without('execution') },
  'list-annotations': {
    level: 'MUST',
    revisions: since(streamable),
    page: 'schema',
    sentence: 'Annotations are an object whose hints are true or false.',
    how: 'Reads the annotations',
    run: eachTool(
      ({ annotations }) => annotations === undefined || areHints(annotations),
      'has other annotations',
      'All annotations are valid',
    ),
  },
})

function eachTool(isRight: (tool: JsonObject) => boolean, fault: string, good = 'All tools comply'): Check['run'] {
  return async (attempt) => {
    const wrong = (await attempt.tools()).filter((tool) => !isRight(tool))
    return enforcedUnlessAny(wrong, (tool) => `${toolLabel(tool)} ${fault}`, good)
  }
}

/** Requires that tools lack a field, which this revision does not have. */
function without(field: string) {
  const run = eachTool((tool) => !(field in tool), `has "${field}"`)
  return { page: 'schema', sentence: `Tools have no "${field}" in this revision.`, run }
}

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']
const areHints = (value: JsonObject[string]): boolean =>
  isObject(value) && hints.every((hint) => value[hint] === undefined || typeof value[hint] === 'boolean')

/** The name of a tool in the report. */
export const toolLabel = ({ name }: JsonObject): string => (name === undefined ? 'a tool' : jsonOf(name))
