import { definitionError } from '../tools/checks/definition-error.js'

/** Loaded with the first token, so that `jose` is needed only for JWTs. */
export function loadJose(): Promise<typeof import('jose')> {
  return import('jose').catch((thrown: unknown) => {
    throw definitionError('bearerJwt() needs the package jose: npm i jose', thrown)
  })
}
