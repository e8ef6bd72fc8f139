/** `access`: checks access rules in tests. */
import type { Server } from '../../lib/index.js'
import { readApplicationFacts } from '../../lib/internal.js'
import { type AccessRule, type AccessRules, rulesFor } from '../declare/access/rule.js'
import type { Class } from '../declare/metadata.js'
import type { BootstrapOptions } from '../run/bootstrap-options.js'
import { readJudgedRoutes } from '../run/checks/judged-routes.js'
import { applicationOf, readWiring } from '../run/bootstrap.js'
import { createApplicationBlueprint, unknownIn } from '../run/blueprint.js'
import { judge, type JudgedApplication, type PlacedRule } from '../wiring/access/judge.js'
import { fault, WiringError } from '../wiring/faults.js'
import { nameOf } from '../wiring/value-names.js'
import { allPlugins } from '../wiring/nodes.js'

/** The access rules that a test checks. A method throws if the application breaks its rule, and otherwise returns the same object. */
export interface AccessTest extends AccessRules<AccessTest> {
  /**
   * Checks rules as if a plugin had them in its option `access`: for the routes of the plugin and of the plugins below it. Paths are
   * relative to the plugin's prefix.
   * ```ts
   * access(App).plugin(BillingPlugin).neverSees(Db)
   * ```
   */
  plugin(PluginClass: Class): AccessTest
}

/**
 * Checks who can reach what in an application: the hooks that routes run, the routes that are public, and the providers that plugins see.
 * ```ts
 * test('only an admin reaches /admin, and only these routes are public', () => {
 *   access(App).routes('/admin/**').run(RequireUser, RolesGuard)
 *   access(App).public({ exactly: ['POST /login', UsersController] })
 * })
 * ```
 * A class is read as `check` reads it, and nothing is constructed: routes that plugin functions and `setup` methods add are not checked. A
 * server of `bootstrap` or `testServer` is checked with all its routes. The option `access` of `@Plugin` has the same rules.
 * @param of a plugin class, or a server that `bootstrap` or `testServer` made
 * @param options for a class: the options that `bootstrap` gets. They appear in the route descriptions that the rule `every` gets
 * @throws WiringError (ALC_ERR_WIRING) with a fault for each route or plugin that breaks a rule, and for each pattern without a route
 */
export function access(of: Class | Server, options: BootstrapOptions = {}): AccessTest {
  const application = typeof of === 'function' ? readClass(of, options) : readServer(of)
  const { root } = application
  const where = `access(${root.name})`
  return testFor(application, (rule) => [{ rule, plugin: root, where }])
}

function testFor(application: JudgedApplication, place: (rule: AccessRule) => readonly PlacedRule[]): AccessTest {
  const { root } = application
  const test: AccessTest = {
    ...rulesFor((rule) => {
      const faults = judge(application, place(rule))
      if (faults.length > 0) throw new WiringError(root.name, faults)
      return test
    }),
    plugin(PluginClass) {
      const found = allPlugins(root).filter(({ Class }) => Class === PluginClass)
      const by = `access(${root.name})`
      const what = `the plugin ${nameOf(PluginClass)}, which ${root.name} does not import`
      if (found.length === 0) throw new WiringError(root.name, [fault('ACCESS_RULE_IDLE', root.path, what, by, [])])
      return testFor(application, (rule) => found.map((plugin) => ({ rule, plugin, where: `${by}.plugin(${nameOf(PluginClass)})` })))
    },
  }
  return test
}

function readClass(App: Class, options: BootstrapOptions): JudgedApplication {
  const { root, wiring } = readWiring(App, new Map())
  const facts = readApplicationFacts(createApplicationBlueprint(root, wiring, options))
  return { root, wiring, routes: readJudgedRoutes(facts, root), unknownIn, isStrict: true }
}

function readServer(server: Server): JudgedApplication {
  const application = applicationOf(server)
  if (application === undefined)
    throw new TypeError('access takes a plugin class, or a server that bootstrap or testServer made: only these have plugin classes.')
  const { root, wiring } = application
  return { root, wiring, routes: readJudgedRoutes(readApplicationFacts(server), root), unknownIn: () => [], isStrict: true }
}
