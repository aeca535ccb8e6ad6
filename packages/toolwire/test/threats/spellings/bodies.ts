// One denied call in many valid and invalid spellings of JSON.

/** The parameters of a call as raw text, without the outer braces. */
export type Spelling = readonly [name: string, params: string]

const named = (name: string, args = '{"path":"/etc/passwd"}') => `"name":"${name}","arguments":${args}`
const path = (text: string) => named('delete_file', `{"path":"${text}"}`)

export const plain = path('/etc/passwd')

/** Spellings with the same meaning as the plain one, which must get the same answer. */
export const same: readonly Spelling[] = [
  ['an escaped letter in the name', named('\\u0064elete_file')],
  ['a name of nothing but escapes', named([...'delete_file'].map(escaped).join(''))],
  ['upper-case hex', named('delete\\u005Ffile')],
  ['an escaped key of the arguments', named('delete_file', '{"p\\u0061th":"/etc/passwd"}')],
  ['escaped keys of the parameters', '"n\\u0061me":"delete_file","\\u0061rguments":{"path":"/etc/passwd"}'],
  ['escaped slashes', path('\\/etc\\/passwd')],
  ['slashes as code points', path('\\u002fetc\\u002Fpasswd')],
  ['a path of nothing but escapes', path([...'/etc/passwd'].map(escaped).join(''))],
  ['a pair of surrogates in it', path('/etc/\\ud83d\\ude00')],
  ['arguments first', '"arguments":{"path":"/etc/passwd"},"name":"delete_file"'],
  ['blanks and line ends', '\n "name" :\t"delete_file" ,\r\n"arguments" : { "path" : "/etc/passwd" } '],
  ['more arguments before', named('delete_file', '{"a":1,"path":"/etc/passwd"}')],
  ['more arguments after', named('delete_file', '{"path":"/etc/passwd","force":true}')],
  ['more parameters', `${plain},"dryRun":true`],
  ['a decoy beside the arguments', `${plain},"path":"/srv/a"`],
  ['a decoy in another case', named('delete_file', '{"Path":"/srv/a","path":"/etc/passwd"}')],
  ['a prototype', named('delete_file', '{"path":"/etc/passwd","__proto__":{"path":"/srv/a"}}')],
  ['a prototype in escapes', named('delete_file', '{"\\u005f_proto__":{"path":"/srv/a"},"path":"/etc/passwd"}')],
  ['a prototype beside the arguments', `${plain},"__proto__":{"arguments":{"path":"/srv/a"}}`],
  ['a constructor', named('delete_file', '{"path":"/etc/passwd","constructor":{"prototype":{"path":"/srv/a"}}}')],
  ['methods of objects', named('delete_file', '{"toString":1,"valueOf":2,"hasOwnProperty":3,"toJSON":4,"path":"/etc/passwd"}')],
  ['a list of one path', named('delete_file', '{"path":["/etc/passwd"]}')],
  ['a harmless path first', named('delete_file', '{"path":["/srv/a","/etc/passwd"]}')],
  ['an object that could be taken for a path', named('delete_file', '{"path":{"toString":"/etc/passwd"}}')],
  ['a climb', path('/srv/../etc/passwd')],
  ['a climb down and up', path('/etc/../etc/passwd')],
  ['two slashes', path('//etc/passwd')],
  ['a dot', path('/etc/./passwd')],
  ['backslashes', path('\\\\etc\\\\passwd')],
  ['a URI', path('file:///etc/passwd')],
  ['an encoded URI', path('file:///%65tc/passwd')],
  ['a dot behind it', path('/etc/passwd.')],
  ['a dot behind the folder', path('/etc./passwd')],
  ['upper case', path('/ETC/passwd')],
  ['NUL', path('/etc/passwd\\u0000.txt')],
  ['full width', path('/\\uff45\\uff54\\uff43/passwd')],
]

/** Invalid calls, which are refused before the tool is looked up. */
export const malformed: readonly Spelling[] = [
  ['the path twice', named('delete_file', '{"path":"/srv/a","path":"/etc/passwd"}')],
  ['the path twice, once in escapes', named('delete_file', '{"path":"/srv/a","p\\u0061th":"/etc/passwd"}')],
  ['the name twice', `"name":"query",${plain}`],
  ['the name twice, once in escapes', `"n\\u0061me":"query",${plain}`],
  ['the arguments twice', `"arguments":{},${plain}`],
  ['prototypes twice', named('delete_file', '{"__proto__":{},"__proto__":{"path":"/etc/passwd"}}')],
  ['half a pair of surrogates in the path', path('/etc/\\ud83d')],
  ['half a pair in the name', named('delete_file\\udc00')],
  ['a comment', `${plain} /* , "path": "/srv/a" */`],
  ['a comma too many', `${plain},`],
  ['single quotes', "'name':'delete_file','arguments':{'path':'/etc/passwd'}"],
  ['a raw control character', path('/etc/\u0001passwd')],
  ['an unknown escape', path('\\x2fetc/passwd')],
  ['NaN', named('delete_file', '{"path":"/etc/passwd","n":NaN}')],
  ['a leading zero', named('delete_file', '{"path":"/etc/passwd","n":01}')],
  ['arguments that are a list', named('delete_file', '["/etc/passwd"]')],
  ['arguments that are null', named('delete_file', 'null')],
  ['arguments that are text', named('delete_file', '"{\\"path\\":\\"/etc/passwd\\"}"')],
  ['arguments that are a number', named('delete_file', '1')],
  ['a name in a list', '"name":["delete_file"],"arguments":{"path":"/etc/passwd"}'],
  ['a name that is an object', '"name":{"toString":"delete_file"},"arguments":{"path":"/etc/passwd"}'],
  ['no name', '"arguments":{"path":"/etc/passwd"}'],
  ['a name in another case', '"Name":"delete_file","arguments":{"path":"/etc/passwd"}'],
]

/** Names of missing tools that look like an existing one, and the name of a hidden tool. */
export const unknown: readonly string[] = [
  'shut_down',
  'shut\\u005fdown',
  'Delete_File',
  'DELETE_FILE',
  'delete_file ',
  ' delete_file',
  'delete_file\\t',
  'delete_file\\n',
  'delete_file\\u0000',
  '\\u0000delete_file',
  'delete\\u200b_file',
  '\\ufeffdelete_file',
  'delete_file\\u202e',
  'dele\\u00adte_file',
  'd\\u0435lete_file',
  'delete\\uff3ffile',
  '\\uff44elete_file',
  'delete_f\\ufb01le',
  'delete_fi\\u0301le',
  'delete_f\\u00edle',
  'delete%5ffile',
  '%64elete_file',
  'delete_file%00',
  'delete-file',
  'victim/delete_file',
  'victim__delete_file',
  './delete_file',
  'delete_file/',
  'tools/delete_file',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '0',
  '',
  '*',
]

/** Other denied calls with all their spellings. */
export const others: readonly { readonly tool: string; readonly spellings: readonly Spelling[] }[] = [
  {
    tool: 'pay',
    spellings: ['1', '1.0', '1e0', '10e-1', '0.1e1', '1E+0', '1.000', '100e-2', '0.00001e5', '"1"', '[1]', 'true'].map(
      (sum) => [`a sum of ${sum}`, named('pay', `{"sum":${sum}}`)] as const,
    ),
  },
  {
    tool: 'query',
    spellings: ['DROP TABLE a', 'select 1; DROP TABLE a', '\\u0044ROP', 'D\\u0052OP TABLE a', '\\nDROP\\n', '/**/DROP/**/'].map(
      (sql) => [`the statement ${sql}`, named('query', `{"sql":"${sql}"}`)] as const,
    ),
  },
]

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
