import { basename, sep } from 'node:path'
import type { Json } from 'toolwire'
import { isObject } from '../json/is-object.js'
import { problem } from './config-error.js'

export type Environment = { readonly [name: string]: string | undefined }

/** A prompt of VS Code for its user. */
export type PromptInput = { readonly id: string; readonly default?: string; readonly description?: string }

/** The values that a text may refer to. */
export type VariableScope = {
  readonly env: Environment
  readonly cwd: string
  readonly home: string
  /** The folder of the config's project. */
  readonly workspace: string
  readonly inputs?: readonly PromptInput[]
  /** Called with each value that comes from the environment or from an input's default. */
  readonly onValue?: (name: string, value: string) => void
}

/** The prompts that a config lists for VS Code. */
export function promptInputs(inputs: Json | undefined): PromptInput[] {
  if (!Array.isArray(inputs)) return []
  return inputs.filter(isObject).flatMap(({ id, default: value }) => {
    if (typeof id !== 'string') return []
    return [{ id, ...(typeof value === 'string' && { default: value }) }]
  })
}

/** The variable for an input of VS Code: `github-token` is read from TOOLWIRE_INPUT_GITHUB_TOKEN. */
export const inputVariableName = (id: string): string => `TOOLWIRE_INPUT_${id.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/
const unknownNames = `known are \${VAR}, \${VAR:-default}, \${env:VAR}, \${input:id}, \${workspaceFolder}, \${userHome} and \${cwd}; write $\${ for a literal \${`

/** The value of a name between ${ and }; undefined if it is not set. */
export function lookUpVariable(name: string, scope: VariableScope, at: string): string | undefined {
  const place = placeOf(name, scope)
  if (place !== undefined) return place
  if (name.startsWith('input:')) return inputOf(name.slice('input:'.length), scope, at)
  const variable = name.startsWith('env:') ? name.slice('env:'.length) : name
  if (!variableName.test(variable)) throw problem(at, `\${…} does not name a variable; ${unknownNames}`)
  return variableHint(variable, fromEnvironment(scope.env, variable), scope)
}

function placeOf(name: string, { workspace, cwd, home }: VariableScope): string | undefined {
  const places = { workspaceFolder: workspace, workspaceFolderBasename: basename(workspace), userHome: home, cwd }
  return new Map(Object.entries({ ...places, pathSeparator: sep, '/': sep })).get(name)
}

function inputOf(id: string, scope: VariableScope, at: string): string {
  const variable = inputVariableName(id)
  const input = scope.inputs?.find((one) => one.id === id)
  const value = fromEnvironment(scope.env, variable) ?? input?.default
  if (value === undefined)
    throw problem(at, `\${input:${id}} asks a question, and the gateway has no user to ask; set ${variable} in the environment`)
  return variableHint(variable, value, scope) ?? value
}

/** Ignores inherited members such as toString. process.env is read directly, because it ignores case on Windows. */
export const fromEnvironment = (env: Environment, name: string): string | undefined => {
  const value = env[name]
  return typeof value === 'string' ? value : undefined
}

function variableHint(name: string, value: string | undefined, { onValue }: VariableScope): string | undefined {
  if (value !== undefined) onValue?.(name, value)
  return value
}
