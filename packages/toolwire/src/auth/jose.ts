import { definitionError } from '../tools/checks/definition-error.js'

/** Loaded when the first token comes: whoever takes no JWTs need not install it. */
export function loadJose(): Promise<typeof import('jose')> {
  return import('jose').catch((thrown: unknown) => {
    throw definitionError('bearerJwt() needs the package jose: npm i jose', thrown)
  })
}
