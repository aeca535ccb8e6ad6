/** Example rules for a new policy file. */
export const exampleRules = `version: 1
rules:
  - name: nothing is deleted
    when: { tool: '*delete*' }
    decision: deny
    because: deleting is done by hand
`

export const exampleCases = `cases:
  - call: { tool: files__delete_file, arguments: { path: /srv/a.txt } }
    expect: deny`

export const exampleConfig = `"toolwire": { "policy": "policy.yaml" }`
