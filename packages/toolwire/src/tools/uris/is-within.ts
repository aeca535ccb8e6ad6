/** True for a watched URI itself and for all below it. spec 2025-11-25, schema#notifications/resources/updated */
export const isWithin = (uri: string, watched: string): boolean =>
  uri.startsWith(watched) &&
  (uri.length === watched.length || watched.endsWith('/') || '/?#'.includes(uri.charAt(watched.length)))
