// The folders that a server is told of. spec 2025-11-25, client/roots#security-considerations
import { withinRoots } from '../../tools/uris/within-roots.js'

type Root = { readonly uri: string; readonly name?: string }

/** Only plain `file:` URIs leave this client: nothing that climbs out of itself, and nothing that is no place in a file system. */
export function permittedRoots(roots: readonly Root[], warn: (text: string) => void): readonly Root[] {
  return roots.filter((root) => {
    const isPlain =
      /^file:\/\//i.test(root.uri) && !/(^|[/\\])\.\.?([/\\]|$)/.test(decoded(root.uri)) && withinRoots([root], root.uri)
    if (!isPlain) warn(`The root ${JSON.stringify(root.uri)} is not a plain file: URI and was not shown to the server`)
    return isPlain
  })
}

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri)
  } catch {
    return '..' // cannot be read, so it cannot be trusted
  }
}
