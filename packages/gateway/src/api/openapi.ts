// The OpenAPI description of the API. https://spec.openapis.org/oas/v3.1.0
import type { JsonObject } from 'toolwire'
import type { Route } from './route.js'
import { shape } from './shape.js'

export const apiBase = '/api/v1'

/** Generated from the routes that handle requests, so none is missing. */
export function openapi(routes: readonly Route[], version: string): JsonObject {
  const paths: { [path: string]: JsonObject } = {}
  for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) }
  return {
    openapi: '3.1.0',
    info: { title: 'Toolwire gateway', version },
    servers: [{ url: apiBase }],
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'A key with the scope toolwire:admin, or the first line of management.token in the data directory',
        },
      },
      schemas: { Refused: shape.object({ error: shape.text }) },
    },
  }
}

function operation(route: Route): JsonObject {
  const { path, method, summary, query = {}, body, answers = {}, reply = {}, type = 'application/json' } = route
  const schema = shape.text
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({ name, in: 'path', required: true, schema }))
  const inQuery = Object.entries(query).map(([name, description]) => ({ name, in: 'query', description, schema }))
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary,
    ...(inPath.length + inQuery.length > 0 && { parameters: [...inPath, ...inQuery] }),
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: responses(answers, { [type]: { schema: reply } }),
  }
}

function responses(answers: NonNullable<Route['answers']>, content: JsonObject): JsonObject {
  const isDone = (status: string) => status.startsWith('2')
  const all = Object.entries({ ...(!Object.keys(answers).some(isDone) && { 200: 'Done' }), ...usual, ...answers })
  return Object.fromEntries(
    all.map(([status, description]) => [status, isDone(status) ? { description, content } : refused(description)]),
  )
}

const usual = { 400: 'The request is not valid', 401: 'No credentials', 403: 'Not allowed, or from another site' }

const refused = (description: string): JsonObject => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Refused' } } },
})
