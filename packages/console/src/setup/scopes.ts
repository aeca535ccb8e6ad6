/** What a scope lets its holder do, in words. */
export function scopeText(scope: string): string {
  if (scope === '*') return 'everything'
  if (scope === 'toolwire:admin') return 'managing the gateway'
  return scope.startsWith('toolwire:set:') ? `the toolset ${scope.slice('toolwire:set:'.length)}` : scope
}
