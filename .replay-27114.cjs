"use strict";
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __commonJS = (cb, mod) => function __require() {
  try {
    return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
  } catch (e) {
    throw mod = 0, e;
  }
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
  // If the importer is in node compatibility mode or this is not an ESM
  // file that has been converted to a CommonJS file using a Babel-
  // compatible transform (i.e. "__esModule" has not been set), then set
  // "default" to the CommonJS "module.exports" for node compatibility.
  isNodeMode || !mod || !mod.__esModule ? __defProp(target, "default", { value: mod, enumerable: true }) : target,
  mod
));

// node_modules/yaml/dist/nodes/identity.js
var require_identity = __commonJS({
  "node_modules/yaml/dist/nodes/identity.js"(exports2) {
    "use strict";
    var ALIAS = /* @__PURE__ */ Symbol.for("yaml.alias");
    var DOC = /* @__PURE__ */ Symbol.for("yaml.document");
    var MAP = /* @__PURE__ */ Symbol.for("yaml.map");
    var PAIR = /* @__PURE__ */ Symbol.for("yaml.pair");
    var SCALAR = /* @__PURE__ */ Symbol.for("yaml.scalar");
    var SEQ = /* @__PURE__ */ Symbol.for("yaml.seq");
    var NODE_TYPE = /* @__PURE__ */ Symbol.for("yaml.node.type");
    var isAlias = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === ALIAS;
    var isDocument = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === DOC;
    var isMap = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === MAP;
    var isPair = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === PAIR;
    var isScalar = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === SCALAR;
    var isSeq = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === SEQ;
    function isCollection(node) {
      if (node && typeof node === "object")
        switch (node[NODE_TYPE]) {
          case MAP:
          case SEQ:
            return true;
        }
      return false;
    }
    function isNode(node) {
      if (node && typeof node === "object")
        switch (node[NODE_TYPE]) {
          case ALIAS:
          case MAP:
          case SCALAR:
          case SEQ:
            return true;
        }
      return false;
    }
    var hasAnchor = (node) => (isScalar(node) || isCollection(node)) && !!node.anchor;
    exports2.ALIAS = ALIAS;
    exports2.DOC = DOC;
    exports2.MAP = MAP;
    exports2.NODE_TYPE = NODE_TYPE;
    exports2.PAIR = PAIR;
    exports2.SCALAR = SCALAR;
    exports2.SEQ = SEQ;
    exports2.hasAnchor = hasAnchor;
    exports2.isAlias = isAlias;
    exports2.isCollection = isCollection;
    exports2.isDocument = isDocument;
    exports2.isMap = isMap;
    exports2.isNode = isNode;
    exports2.isPair = isPair;
    exports2.isScalar = isScalar;
    exports2.isSeq = isSeq;
  }
});

// node_modules/yaml/dist/visit.js
var require_visit = __commonJS({
  "node_modules/yaml/dist/visit.js"(exports2) {
    "use strict";
    var identity = require_identity();
    var BREAK = /* @__PURE__ */ Symbol("break visit");
    var SKIP = /* @__PURE__ */ Symbol("skip children");
    var REMOVE = /* @__PURE__ */ Symbol("remove node");
    function visit(node, visitor) {
      const visitor_ = initVisitor(visitor);
      if (identity.isDocument(node)) {
        const cd = visit_(null, node.contents, visitor_, Object.freeze([node]));
        if (cd === REMOVE)
          node.contents = null;
      } else
        visit_(null, node, visitor_, Object.freeze([]));
    }
    visit.BREAK = BREAK;
    visit.SKIP = SKIP;
    visit.REMOVE = REMOVE;
    function visit_(key, node, visitor, path) {
      const ctrl = callVisitor(key, node, visitor, path);
      if (identity.isNode(ctrl) || identity.isPair(ctrl)) {
        replaceNode(key, path, ctrl);
        return visit_(key, ctrl, visitor, path);
      }
      if (typeof ctrl !== "symbol") {
        if (identity.isCollection(node)) {
          path = Object.freeze(path.concat(node));
          for (let i = 0; i < node.items.length; ++i) {
            const ci = visit_(i, node.items[i], visitor, path);
            if (typeof ci === "number")
              i = ci - 1;
            else if (ci === BREAK)
              return BREAK;
            else if (ci === REMOVE) {
              node.items.splice(i, 1);
              i -= 1;
            }
          }
        } else if (identity.isPair(node)) {
          path = Object.freeze(path.concat(node));
          const ck = visit_("key", node.key, visitor, path);
          if (ck === BREAK)
            return BREAK;
          else if (ck === REMOVE)
            node.key = null;
          const cv = visit_("value", node.value, visitor, path);
          if (cv === BREAK)
            return BREAK;
          else if (cv === REMOVE)
            node.value = null;
        }
      }
      return ctrl;
    }
    async function visitAsync(node, visitor) {
      const visitor_ = initVisitor(visitor);
      if (identity.isDocument(node)) {
        const cd = await visitAsync_(null, node.contents, visitor_, Object.freeze([node]));
        if (cd === REMOVE)
          node.contents = null;
      } else
        await visitAsync_(null, node, visitor_, Object.freeze([]));
    }
    visitAsync.BREAK = BREAK;
    visitAsync.SKIP = SKIP;
    visitAsync.REMOVE = REMOVE;
    async function visitAsync_(key, node, visitor, path) {
      const ctrl = await callVisitor(key, node, visitor, path);
      if (identity.isNode(ctrl) || identity.isPair(ctrl)) {
        replaceNode(key, path, ctrl);
        return visitAsync_(key, ctrl, visitor, path);
      }
      if (typeof ctrl !== "symbol") {
        if (identity.isCollection(node)) {
          path = Object.freeze(path.concat(node));
          for (let i = 0; i < node.items.length; ++i) {
            const ci = await visitAsync_(i, node.items[i], visitor, path);
            if (typeof ci === "number")
              i = ci - 1;
            else if (ci === BREAK)
              return BREAK;
            else if (ci === REMOVE) {
              node.items.splice(i, 1);
              i -= 1;
            }
          }
        } else if (identity.isPair(node)) {
          path = Object.freeze(path.concat(node));
          const ck = await visitAsync_("key", node.key, visitor, path);
          if (ck === BREAK)
            return BREAK;
          else if (ck === REMOVE)
            node.key = null;
          const cv = await visitAsync_("value", node.value, visitor, path);
          if (cv === BREAK)
            return BREAK;
          else if (cv === REMOVE)
            node.value = null;
        }
      }
      return ctrl;
    }
    function initVisitor(visitor) {
      if (typeof visitor === "object" && (visitor.Collection || visitor.Node || visitor.Value)) {
        return Object.assign({
          Alias: visitor.Node,
          Map: visitor.Node,
          Scalar: visitor.Node,
          Seq: visitor.Node
        }, visitor.Value && {
          Map: visitor.Value,
          Scalar: visitor.Value,
          Seq: visitor.Value
        }, visitor.Collection && {
          Map: visitor.Collection,
          Seq: visitor.Collection
        }, visitor);
      }
      return visitor;
    }
    function callVisitor(key, node, visitor, path) {
      if (typeof visitor === "function")
        return visitor(key, node, path);
      if (identity.isMap(node))
        return visitor.Map?.(key, node, path);
      if (identity.isSeq(node))
        return visitor.Seq?.(key, node, path);
      if (identity.isPair(node))
        return visitor.Pair?.(key, node, path);
      if (identity.isScalar(node))
        return visitor.Scalar?.(key, node, path);
      if (identity.isAlias(node))
        return visitor.Alias?.(key, node, path);
      return void 0;
    }
    function replaceNode(key, path, node) {
      const parent = path[path.length - 1];
      if (identity.isCollection(parent)) {
        parent.items[key] = node;
      } else if (identity.isPair(parent)) {
        if (key === "key")
          parent.key = node;
        else
          parent.value = node;
      } else if (identity.isDocument(parent)) {
        parent.contents = node;
      } else {
        const pt = identity.isAlias(parent) ? "alias" : "scalar";
        throw new Error(`Cannot replace node with ${pt} parent`);
      }
    }
    exports2.visit = visit;
    exports2.visitAsync = visitAsync;
  }
});

// node_modules/yaml/dist/doc/directives.js
var require_directives = __commonJS({
  "node_modules/yaml/dist/doc/directives.js"(exports2) {
    "use strict";
    var identity = require_identity();
    var visit = require_visit();
    var escapeChars = {
      "!": "%21",
      ",": "%2C",
      "[": "%5B",
      "]": "%5D",
      "{": "%7B",
      "}": "%7D"
    };
    var escapeTagName = (tn) => tn.replace(/[!,[\]{}]/g, (ch) => escapeChars[ch]);
    var Directives = class _Directives {
      constructor(yaml, tags) {
        this.docStart = null;
        this.docEnd = false;
        this.yaml = Object.assign({}, _Directives.defaultYaml, yaml);
        this.tags = Object.assign({}, _Directives.defaultTags, tags);
      }
      clone() {
        const copy = new _Directives(this.yaml, this.tags);
        copy.docStart = this.docStart;
        return copy;
      }
      /**
       * During parsing, get a Directives instance for the current document and
       * update the stream state according to the current version's spec.
       */
      atDocument() {
        const res = new _Directives(this.yaml, this.tags);
        switch (this.yaml.version) {
          case "1.1":
            this.atNextDocument = true;
            break;
          case "1.2":
            this.atNextDocument = false;
            this.yaml = {
              explicit: _Directives.defaultYaml.explicit,
              version: "1.2"
            };
            this.tags = Object.assign({}, _Directives.defaultTags);
            break;
        }
        return res;
      }
      /**
       * @param onError - May be called even if the action was successful
       * @returns `true` on success
       */
      add(line2, onError) {
        if (this.atNextDocument) {
          this.yaml = { explicit: _Directives.defaultYaml.explicit, version: "1.1" };
          this.tags = Object.assign({}, _Directives.defaultTags);
          this.atNextDocument = false;
        }
        const parts = line2.trim().split(/[ \t]+/);
        const name = parts.shift();
        switch (name) {
          case "%TAG": {
            if (parts.length !== 2) {
              onError(0, "%TAG directive should contain exactly two parts");
              if (parts.length < 2)
                return false;
            }
            const [handle, prefix] = parts;
            this.tags[handle] = prefix;
            return true;
          }
          case "%YAML": {
            this.yaml.explicit = true;
            if (parts.length !== 1) {
              onError(0, "%YAML directive should contain exactly one part");
              return false;
            }
            const [version2] = parts;
            if (version2 === "1.1" || version2 === "1.2") {
              this.yaml.version = version2;
              return true;
            } else {
              const isValid = /^\d+\.\d+$/.test(version2);
              onError(6, `Unsupported YAML version ${version2}`, isValid);
              return false;
            }
          }
          default:
            onError(0, `Unknown directive ${name}`, true);
            return false;
        }
      }
      /**
       * Resolves a tag, matching handles to those defined in %TAG directives.
       *
       * @returns Resolved tag, which may also be the non-specific tag `'!'` or a
       *   `'!local'` tag, or `null` if unresolvable.
       */
      tagName(source, onError) {
        if (source === "!")
          return "!";
        if (source[0] !== "!") {
          onError(`Not a valid tag: ${source}`);
          return null;
        }
        if (source[1] === "<") {
          const verbatim = source.slice(2, -1);
          if (verbatim === "!" || verbatim === "!!") {
            onError(`Verbatim tags aren't resolved, so ${source} is invalid.`);
            return null;
          }
          if (source[source.length - 1] !== ">")
            onError("Verbatim tags must end with a >");
          return verbatim;
        }
        const [, handle, suffix] = source.match(/^(.*!)([^!]*)$/s);
        if (!suffix)
          onError(`The ${source} tag has no suffix`);
        const prefix = this.tags[handle];
        if (prefix) {
          try {
            return prefix + decodeURIComponent(suffix);
          } catch (error) {
            onError(String(error));
            return null;
          }
        }
        if (handle === "!")
          return source;
        onError(`Could not resolve tag: ${source}`);
        return null;
      }
      /**
       * Given a fully resolved tag, returns its printable string form,
       * taking into account current tag prefixes and defaults.
       */
      tagString(tag) {
        for (const [handle, prefix] of Object.entries(this.tags)) {
          if (tag.startsWith(prefix))
            return handle + escapeTagName(tag.substring(prefix.length));
        }
        return tag[0] === "!" ? tag : `!<${tag}>`;
      }
      toString(doc) {
        const lines = this.yaml.explicit ? [`%YAML ${this.yaml.version || "1.2"}`] : [];
        const tagEntries = Object.entries(this.tags);
        let tagNames;
        if (doc && tagEntries.length > 0 && identity.isNode(doc.contents)) {
          const tags = {};
          visit.visit(doc.contents, (_key, node) => {
            if (identity.isNode(node) && node.tag)
              tags[node.tag] = true;
          });
          tagNames = Object.keys(tags);
        } else
          tagNames = [];
        for (const [handle, prefix] of tagEntries) {
          if (handle === "!!" && prefix === "tag:yaml.org,2002:")
            continue;
          if (!doc || tagNames.some((tn) => tn.startsWith(prefix)))
            lines.push(`%TAG ${handle} ${prefix}`);
        }
        return lines.join("\n");
      }
    };
    Directives.defaultYaml = { explicit: false, version: "1.2" };
    Directives.defaultTags = { "!!": "tag:yaml.org,2002:" };
    exports2.Directives = Directives;
  }
});

// node_modules/yaml/dist/doc/anchors.js
var require_anchors = __commonJS({
  "node_modules/yaml/dist/doc/anchors.js"(exports2) {
    "use strict";
    var identity = require_identity();
    var visit = require_visit();
    function anchorIsValid(anchor) {
      if (/[\x00-\x19\s,[\]{}]/.test(anchor)) {
        const sa = JSON.stringify(anchor);
        const msg = `Anchor must not contain whitespace or control characters: ${sa}`;
        throw new Error(msg);
      }
      return true;
    }
    function anchorNames(root2) {
      const anchors = /* @__PURE__ */ new Set();
      visit.visit(root2, {
        Value(_key, node) {
          if (node.anchor)
            anchors.add(node.anchor);
        }
      });
      return anchors;
    }
    function findNewAnchor(prefix, exclude) {
      for (let i = 1; true; ++i) {
        const name = `${prefix}${i}`;
        if (!exclude.has(name))
          return name;
      }
    }
    function createNodeAnchors(doc, prefix) {
      const aliasObjects = [];
      const sourceObjects = /* @__PURE__ */ new Map();
      let prevAnchors = null;
      return {
        onAnchor: (source) => {
          aliasObjects.push(source);
          prevAnchors ?? (prevAnchors = anchorNames(doc));
          const anchor = findNewAnchor(prefix, prevAnchors);
          prevAnchors.add(anchor);
          return anchor;
        },
        /**
         * With circular references, the source node is only resolved after all
         * of its child nodes are. This is why anchors are set only after all of
         * the nodes have been created.
         */
        setAnchors: () => {
          for (const source of aliasObjects) {
            const ref = sourceObjects.get(source);
            if (typeof ref === "object" && ref.anchor && (identity.isScalar(ref.node) || identity.isCollection(ref.node))) {
              ref.node.anchor = ref.anchor;
            } else {
              const error = new Error("Failed to resolve repeated object (this should not happen)");
              error.source = source;
              throw error;
            }
          }
        },
        sourceObjects
      };
    }
    exports2.anchorIsValid = anchorIsValid;
    exports2.anchorNames = anchorNames;
    exports2.createNodeAnchors = createNodeAnchors;
    exports2.findNewAnchor = findNewAnchor;
  }
});

// node_modules/yaml/dist/doc/applyReviver.js
var require_applyReviver = __commonJS({
  "node_modules/yaml/dist/doc/applyReviver.js"(exports2) {
    "use strict";
    function applyReviver(reviver, obj, key, val) {
      if (val && typeof val === "object") {
        if (Array.isArray(val)) {
          for (let i = 0, len = val.length; i < len; ++i) {
            const v0 = val[i];
            const v1 = applyReviver(reviver, val, String(i), v0);
            if (v1 === void 0)
              delete val[i];
            else if (v1 !== v0)
              val[i] = v1;
          }
        } else if (val instanceof Map) {
          for (const k of Array.from(val.keys())) {
            const v0 = val.get(k);
            const v1 = applyReviver(reviver, val, k, v0);
            if (v1 === void 0)
              val.delete(k);
            else if (v1 !== v0)
              val.set(k, v1);
          }
        } else if (val instanceof Set) {
          for (const v0 of Array.from(val)) {
            const v1 = applyReviver(reviver, val, v0, v0);
            if (v1 === void 0)
              val.delete(v0);
            else if (v1 !== v0) {
              val.delete(v0);
              val.add(v1);
            }
          }
        } else {
          for (const [k, v0] of Object.entries(val)) {
            const v1 = applyReviver(reviver, val, k, v0);
            if (v1 === void 0)
              delete val[k];
            else if (v1 !== v0)
              val[k] = v1;
          }
        }
      }
      return reviver.call(obj, key, val);
    }
    exports2.applyReviver = applyReviver;
  }
});

// node_modules/yaml/dist/nodes/toJS.js
var require_toJS = __commonJS({
  "node_modules/yaml/dist/nodes/toJS.js"(exports2) {
    "use strict";
    var identity = require_identity();
    function toJS(value, arg, ctx) {
      if (Array.isArray(value))
        return value.map((v, i) => toJS(v, String(i), ctx));
      if (value && typeof value.toJSON === "function") {
        if (!ctx || !identity.hasAnchor(value))
          return value.toJSON(arg, ctx);
        const data = { aliasCount: 0, count: 1, res: void 0 };
        ctx.anchors.set(value, data);
        ctx.onCreate = (res2) => {
          data.res = res2;
          delete ctx.onCreate;
        };
        const res = value.toJSON(arg, ctx);
        if (ctx.onCreate)
          ctx.onCreate(res);
        return res;
      }
      if (typeof value === "bigint" && !ctx?.keep)
        return Number(value);
      return value;
    }
    exports2.toJS = toJS;
  }
});

// node_modules/yaml/dist/nodes/Node.js
var require_Node = __commonJS({
  "node_modules/yaml/dist/nodes/Node.js"(exports2) {
    "use strict";
    var applyReviver = require_applyReviver();
    var identity = require_identity();
    var toJS = require_toJS();
    var NodeBase = class {
      constructor(type) {
        Object.defineProperty(this, identity.NODE_TYPE, { value: type });
      }
      /** Create a copy of this node.  */
      clone() {
        const copy = Object.create(Object.getPrototypeOf(this), Object.getOwnPropertyDescriptors(this));
        if (this.range)
          copy.range = this.range.slice();
        return copy;
      }
      /** A plain JavaScript representation of this node. */
      toJS(doc, { mapAsMap, maxAliasCount, onAnchor, reviver } = {}) {
        if (!identity.isDocument(doc))
          throw new TypeError("A document argument is required");
        const ctx = {
          anchors: /* @__PURE__ */ new Map(),
          doc,
          keep: true,
          mapAsMap: mapAsMap === true,
          mapKeyWarned: false,
          maxAliasCount: typeof maxAliasCount === "number" ? maxAliasCount : 100
        };
        const res = toJS.toJS(this, "", ctx);
        if (typeof onAnchor === "function")
          for (const { count, res: res2 } of ctx.anchors.values())
            onAnchor(res2, count);
        return typeof reviver === "function" ? applyReviver.applyReviver(reviver, { "": res }, "", res) : res;
      }
    };
    exports2.NodeBase = NodeBase;
  }
});

// node_modules/yaml/dist/nodes/Alias.js
var require_Alias = __commonJS({
  "node_modules/yaml/dist/nodes/Alias.js"(exports2) {
    "use strict";
    var anchors = require_anchors();
    var visit = require_visit();
    var identity = require_identity();
    var Node = require_Node();
    var toJS = require_toJS();
    var Alias = class extends Node.NodeBase {
      constructor(source) {
        super(identity.ALIAS);
        this.source = source;
        Object.defineProperty(this, "tag", {
          set() {
            throw new Error("Alias nodes cannot have tags");
          }
        });
      }
      /**
       * Resolve the value of this alias within `doc`, finding the last
       * instance of the `source` anchor before this node.
       */
      resolve(doc, ctx) {
        if (ctx?.maxAliasCount === 0)
          throw new ReferenceError("Alias resolution is disabled");
        let nodes;
        if (ctx?.aliasResolveCache) {
          nodes = ctx.aliasResolveCache;
        } else {
          nodes = [];
          visit.visit(doc, {
            Node: (_key, node) => {
              if (identity.isAlias(node) || identity.hasAnchor(node))
                nodes.push(node);
            }
          });
          if (ctx)
            ctx.aliasResolveCache = nodes;
        }
        let found = void 0;
        for (const node of nodes) {
          if (node === this)
            break;
          if (node.anchor === this.source)
            found = node;
        }
        if (found && ctx) {
          const { anchors: anchors2, doc: doc2, maxAliasCount } = ctx;
          let data = anchors2.get(found);
          if (!data) {
            toJS.toJS(found, null, ctx);
            data = anchors2.get(found);
          }
          if (data?.res === void 0) {
            const msg = "This should not happen: Alias anchor was not resolved?";
            throw new ReferenceError(msg);
          }
          if (maxAliasCount >= 0) {
            data.count += 1;
            if (data.aliasCount === 0)
              data.aliasCount = getAliasCount(doc2, found, anchors2);
            if (data.count * data.aliasCount > maxAliasCount) {
              const msg = "Excessive alias count indicates a resource exhaustion attack";
              throw new ReferenceError(msg);
            }
          }
        }
        return found;
      }
      toJSON(_arg, ctx) {
        if (!ctx)
          return { source: this.source };
        const source = this.resolve(ctx.doc, ctx);
        if (!source) {
          const msg = `Unresolved alias (the anchor must be set before the alias): ${this.source}`;
          throw new ReferenceError(msg);
        }
        return ctx.anchors.get(source).res;
      }
      toString(ctx, _onComment, _onChompKeep) {
        const src = `*${this.source}`;
        if (ctx) {
          anchors.anchorIsValid(this.source);
          if (ctx.options.verifyAliasOrder && !ctx.anchors.has(this.source)) {
            const msg = `Unresolved alias (the anchor must be set before the alias): ${this.source}`;
            throw new Error(msg);
          }
          if (ctx.implicitKey)
            return `${src} `;
        }
        return src;
      }
    };
    function getAliasCount(doc, node, anchors2) {
      if (identity.isAlias(node)) {
        const source = node.resolve(doc);
        const anchor = anchors2 && source && anchors2.get(source);
        return anchor ? anchor.count * anchor.aliasCount : 0;
      } else if (identity.isCollection(node)) {
        let count = 0;
        for (const item of node.items) {
          const c = getAliasCount(doc, item, anchors2);
          if (c > count)
            count = c;
        }
        return count;
      } else if (identity.isPair(node)) {
        const kc = getAliasCount(doc, node.key, anchors2);
        const vc = getAliasCount(doc, node.value, anchors2);
        return Math.max(kc, vc);
      }
      return 1;
    }
    exports2.Alias = Alias;
  }
});

// node_modules/yaml/dist/nodes/Scalar.js
var require_Scalar = __commonJS({
  "node_modules/yaml/dist/nodes/Scalar.js"(exports2) {
    "use strict";
    var identity = require_identity();
    var Node = require_Node();
    var toJS = require_toJS();
    var isScalarValue = (value) => !value || typeof value !== "function" && typeof value !== "object";
    var Scalar = class extends Node.NodeBase {
      constructor(value) {
        super(identity.SCALAR);
        this.value = value;
      }
      toJSON(arg, ctx) {
        return ctx?.keep ? this.value : toJS.toJS(this.value, arg, ctx);
      }
      toString() {
        return String(this.value);
      }
    };
    Scalar.BLOCK_FOLDED = "BLOCK_FOLDED";
    Scalar.BLOCK_LITERAL = "BLOCK_LITERAL";
    Scalar.PLAIN = "PLAIN";
    Scalar.QUOTE_DOUBLE = "QUOTE_DOUBLE";
    Scalar.QUOTE_SINGLE = "QUOTE_SINGLE";
    exports2.Scalar = Scalar;
    exports2.isScalarValue = isScalarValue;
  }
});

// node_modules/yaml/dist/doc/createNode.js
var require_createNode = __commonJS({
  "node_modules/yaml/dist/doc/createNode.js"(exports2) {
    "use strict";
    var Alias = require_Alias();
    var identity = require_identity();
    var Scalar = require_Scalar();
    var defaultTagPrefix = "tag:yaml.org,2002:";
    function findTagObject(value, tagName, tags) {
      if (tagName) {
        const match = tags.filter((t) => t.tag === tagName);
        const tagObj = match.find((t) => !t.format) ?? match[0];
        if (!tagObj)
          throw new Error(`Tag ${tagName} not found`);
        return tagObj;
      }
      return tags.find((t) => t.identify?.(value) && !t.format);
    }
    function createNode(value, tagName, ctx) {
      if (identity.isDocument(value))
        value = value.contents;
      if (identity.isNode(value))
        return value;
      if (identity.isPair(value)) {
        const map = ctx.schema[identity.MAP].createNode?.(ctx.schema, null, ctx);
        map.items.push(value);
        return map;
      }
      if (value instanceof String || value instanceof Number || value instanceof Boolean || typeof BigInt !== "undefined" && value instanceof BigInt) {
        value = value.valueOf();
      }
      const { aliasDuplicateObjects, onAnchor, onTagObj, schema, sourceObjects } = ctx;
      let ref = void 0;
      if (aliasDuplicateObjects && value && typeof value === "object") {
        ref = sourceObjects.get(value);
        if (ref) {
          ref.anchor ?? (ref.anchor = onAnchor(value));
          return new Alias.Alias(ref.anchor);
        } else {
          ref = { anchor: null, node: null };
          sourceObjects.set(value, ref);
        }
      }
      if (tagName?.startsWith("!!"))
        tagName = defaultTagPrefix + tagName.slice(2);
      let tagObj = findTagObject(value, tagName, schema.tags);
      if (!tagObj) {
        if (value && typeof value.toJSON === "function") {
          value = value.toJSON();
        }
        if (!value || typeof value !== "object") {
          const node2 = new Scalar.Scalar(value);
          if (ref)
            ref.node = node2;
          return node2;
        }
        tagObj = value instanceof Map ? schema[identity.MAP] : Symbol.iterator in Object(value) ? schema[identity.SEQ] : schema[identity.MAP];
      }
      if (onTagObj) {
        onTagObj(tagObj);
        delete ctx.onTagObj;
      }
      const node = tagObj?.createNode ? tagObj.createNode(ctx.schema, value, ctx) : typeof tagObj?.nodeClass?.from === "function" ? tagObj.nodeClass.from(ctx.schema, value, ctx) : new Scalar.Scalar(value);
      if (tagName)
        node.tag = tagName;
      else if (!tagObj.default)
        node.tag = tagObj.tag;
      if (ref)
        ref.node = node;
      return node;
    }
    exports2.createNode = createNode;
  }
});

// node_modules/yaml/dist/nodes/Collection.js
var require_Collection = __commonJS({
  "node_modules/yaml/dist/nodes/Collection.js"(exports2) {
    "use strict";
    var createNode = require_createNode();
    var identity = require_identity();
    var Node = require_Node();
    function collectionFromPath(schema, path, value) {
      let v = value;
      for (let i = path.length - 1; i >= 0; --i) {
        const k = path[i];
        if (typeof k === "number" && Number.isInteger(k) && k >= 0) {
          const a = [];
          a[k] = v;
          v = a;
        } else {
          v = /* @__PURE__ */ new Map([[k, v]]);
        }
      }
      return createNode.createNode(v, void 0, {
        aliasDuplicateObjects: false,
        keepUndefined: false,
        onAnchor: () => {
          throw new Error("This should not happen, please report a bug.");
        },
        schema,
        sourceObjects: /* @__PURE__ */ new Map()
      });
    }
    var isEmptyPath = (path) => path == null || typeof path === "object" && !!path[Symbol.iterator]().next().done;
    var Collection = class extends Node.NodeBase {
      constructor(type, schema) {
        super(type);
        Object.defineProperty(this, "schema", {
          value: schema,
          configurable: true,
          enumerable: false,
          writable: true
        });
      }
      /**
       * Create a copy of this collection.
       *
       * @param schema - If defined, overwrites the original's schema
       */
      clone(schema) {
        const copy = Object.create(Object.getPrototypeOf(this), Object.getOwnPropertyDescriptors(this));
        if (schema)
          copy.schema = schema;
        copy.items = copy.items.map((it) => identity.isNode(it) || identity.isPair(it) ? it.clone(schema) : it);
        if (this.range)
          copy.range = this.range.slice();
        return copy;
      }
      /**
       * Adds a value to the collection. For `!!map` and `!!omap` the value must
       * be a Pair instance or a `{ key, value }` object, which may not have a key
       * that already exists in the map.
       */
      addIn(path, value) {
        if (isEmptyPath(path))
          this.add(value);
        else {
          const [key, ...rest] = path;
          const node = this.get(key, true);
          if (identity.isCollection(node))
            node.addIn(rest, value);
          else if (node === void 0 && this.schema)
            this.set(key, collectionFromPath(this.schema, rest, value));
          else
            throw new Error(`Expected YAML collection at ${key}. Remaining path: ${rest}`);
        }
      }
      /**
       * Removes a value from the collection.
       * @returns `true` if the item was found and removed.
       */
      deleteIn(path) {
        const [key, ...rest] = path;
        if (rest.length === 0)
          return this.delete(key);
        const node = this.get(key, true);
        if (identity.isCollection(node))
          return node.deleteIn(rest);
        else
          throw new Error(`Expected YAML collection at ${key}. Remaining path: ${rest}`);
      }
      /**
       * Returns item at `key`, or `undefined` if not found. By default unwraps
       * scalar values from their surrounding node; to disable set `keepScalar` to
       * `true` (collections are always returned intact).
       */
      getIn(path, keepScalar) {
        const [key, ...rest] = path;
        const node = this.get(key, true);
        if (rest.length === 0)
          return !keepScalar && identity.isScalar(node) ? node.value : node;
        else
          return identity.isCollection(node) ? node.getIn(rest, keepScalar) : void 0;
      }
      hasAllNullValues(allowScalar) {
        return this.items.every((node) => {
          if (!identity.isPair(node))
            return false;
          const n2 = node.value;
          return n2 == null || allowScalar && identity.isScalar(n2) && n2.value == null && !n2.commentBefore && !n2.comment && !n2.tag;
        });
      }
      /**
       * Checks if the collection includes a value with the key `key`.
       */
      hasIn(path) {
        const [key, ...rest] = path;
        if (rest.length === 0)
          return this.has(key);
        const node = this.get(key, true);
        return identity.isCollection(node) ? node.hasIn(rest) : false;
      }
      /**
       * Sets a value in this collection. For `!!set`, `value` needs to be a
       * boolean to add/remove the item from the set.
       */
      setIn(path, value) {
        const [key, ...rest] = path;
        if (rest.length === 0) {
          this.set(key, value);
        } else {
          const node = this.get(key, true);
          if (identity.isCollection(node))
            node.setIn(rest, value);
          else if (node === void 0 && this.schema)
            this.set(key, collectionFromPath(this.schema, rest, value));
          else
            throw new Error(`Expected YAML collection at ${key}. Remaining path: ${rest}`);
        }
      }
    };
    exports2.Collection = Collection;
    exports2.collectionFromPath = collectionFromPath;
    exports2.isEmptyPath = isEmptyPath;
  }
});

// node_modules/yaml/dist/stringify/stringifyComment.js
var require_stringifyComment = __commonJS({
  "node_modules/yaml/dist/stringify/stringifyComment.js"(exports2) {
    "use strict";
    var stringifyComment = (str) => str.replace(/^(?!$)(?: $)?/gm, "#");
    function indentComment(comment, indent) {
      if (/^\n+$/.test(comment))
        return comment.substring(1);
      return indent ? comment.replace(/^(?! *$)/gm, indent) : comment;
    }
    var lineComment = (str, indent, comment) => str.endsWith("\n") ? indentComment(comment, indent) : comment.includes("\n") ? "\n" + indentComment(comment, indent) : (str.endsWith(" ") ? "" : " ") + comment;
    exports2.indentComment = indentComment;
    exports2.lineComment = lineComment;
    exports2.stringifyComment = stringifyComment;
  }
});

// node_modules/yaml/dist/stringify/foldFlowLines.js
var require_foldFlowLines = __commonJS({
  "node_modules/yaml/dist/stringify/foldFlowLines.js"(exports2) {
    "use strict";
    var FOLD_FLOW = "flow";
    var FOLD_BLOCK = "block";
    var FOLD_QUOTED = "quoted";
    function foldFlowLines(text2, indent, mode = "flow", { indentAtStart, lineWidth = 80, minContentWidth = 20, onFold, onOverflow } = {}) {
      if (!lineWidth || lineWidth < 0)
        return text2;
      if (lineWidth < minContentWidth)
        minContentWidth = 0;
      const endStep = Math.max(1 + minContentWidth, 1 + lineWidth - indent.length);
      if (text2.length <= endStep)
        return text2;
      const folds = [];
      const escapedFolds = {};
      let end = lineWidth - indent.length;
      if (typeof indentAtStart === "number") {
        if (indentAtStart > lineWidth - Math.max(2, minContentWidth))
          folds.push(0);
        else
          end = lineWidth - indentAtStart;
      }
      let split = void 0;
      let prev = void 0;
      let overflow = false;
      let i = -1;
      let escStart = -1;
      let escEnd = -1;
      if (mode === FOLD_BLOCK) {
        i = consumeMoreIndentedLines(text2, i, indent.length);
        if (i !== -1)
          end = i + endStep;
      }
      for (let ch; ch = text2[i += 1]; ) {
        if (mode === FOLD_QUOTED && ch === "\\") {
          escStart = i;
          switch (text2[i + 1]) {
            case "x":
              i += 3;
              break;
            case "u":
              i += 5;
              break;
            case "U":
              i += 9;
              break;
            default:
              i += 1;
          }
          escEnd = i;
        }
        if (ch === "\n") {
          if (mode === FOLD_BLOCK)
            i = consumeMoreIndentedLines(text2, i, indent.length);
          end = i + indent.length + endStep;
          split = void 0;
        } else {
          if (ch === " " && prev && prev !== " " && prev !== "\n" && prev !== "	") {
            const next = text2[i + 1];
            if (next && next !== " " && next !== "\n" && next !== "	")
              split = i;
          }
          if (i >= end) {
            if (split) {
              folds.push(split);
              end = split + endStep;
              split = void 0;
            } else if (mode === FOLD_QUOTED) {
              while (prev === " " || prev === "	") {
                prev = ch;
                ch = text2[i += 1];
                overflow = true;
              }
              const j = i > escEnd + 1 ? i - 2 : escStart - 1;
              if (escapedFolds[j])
                return text2;
              folds.push(j);
              escapedFolds[j] = true;
              end = j + endStep;
              split = void 0;
            } else {
              overflow = true;
            }
          }
        }
        prev = ch;
      }
      if (overflow && onOverflow)
        onOverflow();
      if (folds.length === 0)
        return text2;
      if (onFold)
        onFold();
      let res = text2.slice(0, folds[0]);
      for (let i2 = 0; i2 < folds.length; ++i2) {
        const fold = folds[i2];
        const end2 = folds[i2 + 1] || text2.length;
        if (fold === 0)
          res = `
${indent}${text2.slice(0, end2)}`;
        else {
          if (mode === FOLD_QUOTED && escapedFolds[fold])
            res += `${text2[fold]}\\`;
          res += `
${indent}${text2.slice(fold + 1, end2)}`;
        }
      }
      return res;
    }
    function consumeMoreIndentedLines(text2, i, indent) {
      let end = i;
      let start = i + 1;
      let ch = text2[start];
      while (ch === " " || ch === "	") {
        if (i < start + indent) {
          ch = text2[++i];
        } else {
          do {
            ch = text2[++i];
          } while (ch && ch !== "\n");
          end = i;
          start = i + 1;
          ch = text2[start];
        }
      }
      return end;
    }
    exports2.FOLD_BLOCK = FOLD_BLOCK;
    exports2.FOLD_FLOW = FOLD_FLOW;
    exports2.FOLD_QUOTED = FOLD_QUOTED;
    exports2.foldFlowLines = foldFlowLines;
  }
});

// node_modules/yaml/dist/stringify/stringifyString.js
var require_stringifyString = __commonJS({
  "node_modules/yaml/dist/stringify/stringifyString.js"(exports2) {
    "use strict";
    var Scalar = require_Scalar();
    var foldFlowLines = require_foldFlowLines();
    var getFoldOptions = (ctx, isBlock) => ({
      indentAtStart: isBlock ? ctx.indent.length : ctx.indentAtStart,
      lineWidth: ctx.options.lineWidth,
      minContentWidth: ctx.options.minContentWidth
    });
    var containsDocumentMarker = (str) => /^(%|---|\.\.\.)/m.test(str);
    function lineLengthOverLimit(str, lineWidth, indentLength) {
      if (!lineWidth || lineWidth < 0)
        return false;
      const limit2 = lineWidth - indentLength;
      const strLen = str.length;
      if (strLen <= limit2)
        return false;
      for (let i = 0, start = 0; i < strLen; ++i) {
        if (str[i] === "\n") {
          if (i - start > limit2)
            return true;
          start = i + 1;
          if (strLen - start <= limit2)
            return false;
        }
      }
      return true;
    }
    function doubleQuotedString(value, ctx) {
      const json = JSON.stringify(value);
      if (ctx.options.doubleQuotedAsJSON)
        return json;
      const { implicitKey } = ctx;
      const minMultiLineLength = ctx.options.doubleQuotedMinMultiLineLength;
      const indent = ctx.indent || (containsDocumentMarker(value) ? "  " : "");
      let str = "";
      let start = 0;
      for (let i = 0, ch = json[i]; ch; ch = json[++i]) {
        if (ch === " " && json[i + 1] === "\\" && json[i + 2] === "n") {
          str += json.slice(start, i) + "\\ ";
          i += 1;
          start = i;
          ch = "\\";
        }
        if (ch === "\\")
          switch (json[i + 1]) {
            case "u":
              {
                str += json.slice(start, i);
                const code = json.substr(i + 2, 4);
                switch (code) {
                  case "0000":
                    str += "\\0";
                    break;
                  case "0007":
                    str += "\\a";
                    break;
                  case "000b":
                    str += "\\v";
                    break;
                  case "001b":
                    str += "\\e";
                    break;
                  case "0085":
                    str += "\\N";
                    break;
                  case "00a0":
                    str += "\\_";
                    break;
                  case "2028":
                    str += "\\L";
                    break;
                  case "2029":
                    str += "\\P";
                    break;
                  default:
                    if (code.substr(0, 2) === "00")
                      str += "\\x" + code.substr(2);
                    else
                      str += json.substr(i, 6);
                }
                i += 5;
                start = i + 1;
              }
              break;
            case "n":
              if (implicitKey || json[i + 2] === '"' || json.length < minMultiLineLength) {
                i += 1;
              } else {
                str += json.slice(start, i) + "\n\n";
                while (json[i + 2] === "\\" && json[i + 3] === "n" && json[i + 4] !== '"') {
                  str += "\n";
                  i += 2;
                }
                str += indent;
                if (json[i + 2] === " ")
                  str += "\\";
                i += 1;
                start = i + 1;
              }
              break;
            default:
              i += 1;
          }
      }
      str = start ? str + json.slice(start) : json;
      return implicitKey ? str : foldFlowLines.foldFlowLines(str, indent, foldFlowLines.FOLD_QUOTED, getFoldOptions(ctx, false));
    }
    function singleQuotedString(value, ctx) {
      if (ctx.options.singleQuote === false || ctx.implicitKey && value.includes("\n") || /[ \t]\n|\n[ \t]/.test(value))
        return doubleQuotedString(value, ctx);
      const indent = ctx.indent || (containsDocumentMarker(value) ? "  " : "");
      const res = "'" + value.replace(/'/g, "''").replace(/\n+/g, `$&
${indent}`) + "'";
      return ctx.implicitKey ? res : foldFlowLines.foldFlowLines(res, indent, foldFlowLines.FOLD_FLOW, getFoldOptions(ctx, false));
    }
    function quotedString(value, ctx) {
      const { singleQuote } = ctx.options;
      let qs;
      if (singleQuote === false)
        qs = doubleQuotedString;
      else {
        const hasDouble = value.includes('"');
        const hasSingle = value.includes("'");
        if (hasDouble && !hasSingle)
          qs = singleQuotedString;
        else if (hasSingle && !hasDouble)
          qs = doubleQuotedString;
        else
          qs = singleQuote ? singleQuotedString : doubleQuotedString;
      }
      return qs(value, ctx);
    }
    var blockEndNewlines;
    try {
      blockEndNewlines = new RegExp("(^|(?<!\n))\n+(?!\n|$)", "g");
    } catch {
      blockEndNewlines = /\n+(?!\n|$)/g;
    }
    function blockString({ comment, type, value }, ctx, onComment, onChompKeep) {
      const { blockQuote, commentString, lineWidth } = ctx.options;
      if (!blockQuote || /\n[\t ]+$/.test(value)) {
        return quotedString(value, ctx);
      }
      const indent = ctx.indent || (ctx.forceBlockIndent || containsDocumentMarker(value) ? "  " : "");
      const literal = blockQuote === "literal" ? true : blockQuote === "folded" || type === Scalar.Scalar.BLOCK_FOLDED ? false : type === Scalar.Scalar.BLOCK_LITERAL ? true : !lineLengthOverLimit(value, lineWidth, indent.length);
      if (!value)
        return literal ? "|\n" : ">\n";
      let chomp;
      let endStart;
      for (endStart = value.length; endStart > 0; --endStart) {
        const ch = value[endStart - 1];
        if (ch !== "\n" && ch !== "	" && ch !== " ")
          break;
      }
      let end = value.substring(endStart);
      const endNlPos = end.indexOf("\n");
      if (endNlPos === -1) {
        chomp = "-";
      } else if (value === end || endNlPos !== end.length - 1) {
        chomp = "+";
        if (onChompKeep)
          onChompKeep();
      } else {
        chomp = "";
      }
      if (end) {
        value = value.slice(0, -end.length);
        if (end[end.length - 1] === "\n")
          end = end.slice(0, -1);
        end = end.replace(blockEndNewlines, `$&${indent}`);
      }
      let startWithSpace = false;
      let startEnd;
      let startNlPos = -1;
      for (startEnd = 0; startEnd < value.length; ++startEnd) {
        const ch = value[startEnd];
        if (ch === " ")
          startWithSpace = true;
        else if (ch === "\n")
          startNlPos = startEnd;
        else
          break;
      }
      let start = value.substring(0, startNlPos < startEnd ? startNlPos + 1 : startEnd);
      if (start) {
        value = value.substring(start.length);
        start = start.replace(/\n+/g, `$&${indent}`);
      }
      const indentSize = indent ? "2" : "1";
      let header = (startWithSpace ? indentSize : "") + chomp;
      if (comment) {
        header += " " + commentString(comment.replace(/ ?[\r\n]+/g, " "));
        if (onComment)
          onComment();
      }
      if (!literal) {
        const foldedValue = value.replace(/\n+/g, "\n$&").replace(/(?:^|\n)([\t ].*)(?:([\n\t ]*)\n(?![\n\t ]))?/g, "$1$2").replace(/\n+/g, `$&${indent}`);
        let literalFallback = false;
        const foldOptions = getFoldOptions(ctx, true);
        if (blockQuote !== "folded" && type !== Scalar.Scalar.BLOCK_FOLDED) {
          foldOptions.onOverflow = () => {
            literalFallback = true;
          };
        }
        const body = foldFlowLines.foldFlowLines(`${start}${foldedValue}${end}`, indent, foldFlowLines.FOLD_BLOCK, foldOptions);
        if (!literalFallback)
          return `>${header}
${indent}${body}`;
      }
      value = value.replace(/\n+/g, `$&${indent}`);
      return `|${header}
${indent}${start}${value}${end}`;
    }
    function plainString(item, ctx, onComment, onChompKeep) {
      const { type, value } = item;
      const { actualString, implicitKey, indent, indentStep, inFlow } = ctx;
      if (implicitKey && value.includes("\n") || inFlow && /[[\]{},]/.test(value)) {
        return quotedString(value, ctx);
      }
      if (/^[\n\t ,[\]{}#&*!|>'"%@`]|^[?-]$|^[?-][ \t]|[\n:][ \t]|[ \t]\n|[\n\t ]#|[\n\t :]$/.test(value)) {
        return implicitKey || inFlow || !value.includes("\n") ? quotedString(value, ctx) : blockString(item, ctx, onComment, onChompKeep);
      }
      if (!implicitKey && !inFlow && type !== Scalar.Scalar.PLAIN && value.includes("\n")) {
        return blockString(item, ctx, onComment, onChompKeep);
      }
      if (containsDocumentMarker(value)) {
        if (indent === "") {
          ctx.forceBlockIndent = true;
          return blockString(item, ctx, onComment, onChompKeep);
        } else if (implicitKey && indent === indentStep) {
          return quotedString(value, ctx);
        }
      }
      const str = value.replace(/\n+/g, `$&
${indent}`);
      if (actualString) {
        const test = (tag) => tag.default && tag.tag !== "tag:yaml.org,2002:str" && tag.test?.test(str);
        const { compat, tags } = ctx.doc.schema;
        if (tags.some(test) || compat?.some(test))
          return quotedString(value, ctx);
      }
      return implicitKey ? str : foldFlowLines.foldFlowLines(str, indent, foldFlowLines.FOLD_FLOW, getFoldOptions(ctx, false));
    }
    function stringifyString(item, ctx, onComment, onChompKeep) {
      const { implicitKey, inFlow } = ctx;
      const ss = typeof item.value === "string" ? item : Object.assign({}, item, { value: String(item.value) });
      let { type } = item;
      if (type !== Scalar.Scalar.QUOTE_DOUBLE) {
        if (/[\x00-\x08\x0b-\x1f\x7f-\x9f\u{D800}-\u{DFFF}]/u.test(ss.value))
          type = Scalar.Scalar.QUOTE_DOUBLE;
      }
      const _stringify = (_type) => {
        switch (_type) {
          case Scalar.Scalar.BLOCK_FOLDED:
          case Scalar.Scalar.BLOCK_LITERAL:
            return implicitKey || inFlow ? quotedString(ss.value, ctx) : blockString(ss, ctx, onComment, onChompKeep);
          case Scalar.Scalar.QUOTE_DOUBLE:
            return doubleQuotedString(ss.value, ctx);
          case Scalar.Scalar.QUOTE_SINGLE:
            return singleQuotedString(ss.value, ctx);
          case Scalar.Scalar.PLAIN:
            return plainString(ss, ctx, onComment, onChompKeep);
          default:
            return null;
        }
      };
      let res = _stringify(type);
      if (res === null) {
        const { defaultKeyType, defaultStringType } = ctx.options;
        const t = implicitKey && defaultKeyType || defaultStringType;
        res = _stringify(t);
        if (res === null)
          throw new Error(`Unsupported default string type ${t}`);
      }
      return res;
    }
    exports2.stringifyString = stringifyString;
  }
});

// node_modules/yaml/dist/stringify/stringify.js
var require_stringify = __commonJS({
  "node_modules/yaml/dist/stringify/stringify.js"(exports2) {
    "use strict";
    var anchors = require_anchors();
    var identity = require_identity();
    var stringifyComment = require_stringifyComment();
    var stringifyString = require_stringifyString();
    function createStringifyContext(doc, options) {
      const opt = Object.assign({
        blockQuote: true,
        commentString: stringifyComment.stringifyComment,
        defaultKeyType: null,
        defaultStringType: "PLAIN",
        directives: null,
        doubleQuotedAsJSON: false,
        doubleQuotedMinMultiLineLength: 40,
        falseStr: "false",
        flowCollectionPadding: true,
        indentSeq: true,
        lineWidth: 80,
        minContentWidth: 20,
        nullStr: "null",
        simpleKeys: false,
        singleQuote: null,
        trailingComma: false,
        trueStr: "true",
        verifyAliasOrder: true
      }, doc.schema.toStringOptions, options);
      let inFlow;
      switch (opt.collectionStyle) {
        case "block":
          inFlow = false;
          break;
        case "flow":
          inFlow = true;
          break;
        default:
          inFlow = null;
      }
      return {
        anchors: /* @__PURE__ */ new Set(),
        doc,
        flowCollectionPadding: opt.flowCollectionPadding ? " " : "",
        indent: "",
        indentStep: typeof opt.indent === "number" ? " ".repeat(opt.indent) : "  ",
        inFlow,
        options: opt
      };
    }
    function getTagObject(tags, item) {
      if (item.tag) {
        const match = tags.filter((t) => t.tag === item.tag);
        if (match.length > 0)
          return match.find((t) => t.format === item.format) ?? match[0];
      }
      let tagObj = void 0;
      let obj;
      if (identity.isScalar(item)) {
        obj = item.value;
        let match = tags.filter((t) => t.identify?.(obj));
        if (match.length > 1) {
          const testMatch = match.filter((t) => t.test);
          if (testMatch.length > 0)
            match = testMatch;
        }
        tagObj = match.find((t) => t.format === item.format) ?? match.find((t) => !t.format);
      } else {
        obj = item;
        tagObj = tags.find((t) => t.nodeClass && obj instanceof t.nodeClass);
      }
      if (!tagObj) {
        const name = obj?.constructor?.name ?? (obj === null ? "null" : typeof obj);
        throw new Error(`Tag not resolved for ${name} value`);
      }
      return tagObj;
    }
    function stringifyProps(node, tagObj, { anchors: anchors$1, doc }) {
      if (!doc.directives)
        return "";
      const props = [];
      const anchor = (identity.isScalar(node) || identity.isCollection(node)) && node.anchor;
      if (anchor && anchors.anchorIsValid(anchor)) {
        anchors$1.add(anchor);
        props.push(`&${anchor}`);
      }
      const tag = node.tag ?? (tagObj.default ? null : tagObj.tag);
      if (tag)
        props.push(doc.directives.tagString(tag));
      return props.join(" ");
    }
    function stringify(item, ctx, onComment, onChompKeep) {
      if (identity.isPair(item))
        return item.toString(ctx, onComment, onChompKeep);
      if (identity.isAlias(item)) {
        if (ctx.doc.directives)
          return item.toString(ctx);
        if (ctx.resolvedAliases?.has(item)) {
          throw new TypeError(`Cannot stringify circular structure without alias nodes`);
        } else {
          if (ctx.resolvedAliases)
            ctx.resolvedAliases.add(item);
          else
            ctx.resolvedAliases = /* @__PURE__ */ new Set([item]);
          item = item.resolve(ctx.doc);
        }
      }
      let tagObj = void 0;
      const node = identity.isNode(item) ? item : ctx.doc.createNode(item, { onTagObj: (o) => tagObj = o });
      tagObj ?? (tagObj = getTagObject(ctx.doc.schema.tags, node));
      const props = stringifyProps(node, tagObj, ctx);
      if (props.length > 0)
        ctx.indentAtStart = (ctx.indentAtStart ?? 0) + props.length + 1;
      const str = typeof tagObj.stringify === "function" ? tagObj.stringify(node, ctx, onComment, onChompKeep) : identity.isScalar(node) ? stringifyString.stringifyString(node, ctx, onComment, onChompKeep) : node.toString(ctx, onComment, onChompKeep);
      if (!props)
        return str;
      return identity.isScalar(node) || str[0] === "{" || str[0] === "[" ? `${props} ${str}` : `${props}
${ctx.indent}${str}`;
    }
    exports2.createStringifyContext = createStringifyContext;
    exports2.stringify = stringify;
  }
});

// node_modules/yaml/dist/stringify/stringifyPair.js
var require_stringifyPair = __commonJS({
  "node_modules/yaml/dist/stringify/stringifyPair.js"(exports2) {
    "use strict";
    var identity = require_identity();
    var Scalar = require_Scalar();
    var stringify = require_stringify();
    var stringifyComment = require_stringifyComment();
    function stringifyPair({ key, value }, ctx, onComment, onChompKeep) {
      const { allNullValues, doc, indent, indentStep, options: { commentString, indentSeq, simpleKeys } } = ctx;
      let keyComment = identity.isNode(key) && key.comment || null;
      if (simpleKeys) {
        if (keyComment) {
          throw new Error("With simple keys, key nodes cannot have comments");
        }
        if (identity.isCollection(key) || !identity.isNode(key) && typeof key === "object") {
          const msg = "With simple keys, collection cannot be used as a key value";
          throw new Error(msg);
        }
      }
      let explicitKey = !simpleKeys && (!key || keyComment && value == null && !ctx.inFlow || identity.isCollection(key) || (identity.isScalar(key) ? key.type === Scalar.Scalar.BLOCK_FOLDED || key.type === Scalar.Scalar.BLOCK_LITERAL : typeof key === "object"));
      ctx = Object.assign({}, ctx, {
        allNullValues: false,
        implicitKey: !explicitKey && (simpleKeys || !allNullValues),
        indent: indent + indentStep
      });
      let keyCommentDone = false;
      let chompKeep = false;
      let str = stringify.stringify(key, ctx, () => keyCommentDone = true, () => chompKeep = true);
      if (!explicitKey && !ctx.inFlow && str.length > 1024) {
        if (simpleKeys)
          throw new Error("With simple keys, single line scalar must not span more than 1024 characters");
        explicitKey = true;
      }
      if (ctx.inFlow) {
        if (allNullValues || value == null) {
          if (keyCommentDone && onComment)
            onComment();
          return str === "" ? "?" : explicitKey ? `? ${str}` : str;
        }
      } else if (allNullValues && !simpleKeys || value == null && explicitKey) {
        str = `? ${str}`;
        if (keyComment && !keyCommentDone) {
          str += stringifyComment.lineComment(str, ctx.indent, commentString(keyComment));
        } else if (chompKeep && onChompKeep)
          onChompKeep();
        return str;
      }
      if (keyCommentDone)
        keyComment = null;
      if (explicitKey) {
        if (keyComment)
          str += stringifyComment.lineComment(str, ctx.indent, commentString(keyComment));
        str = `? ${str}
${indent}:`;
      } else {
        str = `${str}:`;
        if (keyComment)
          str += stringifyComment.lineComment(str, ctx.indent, commentString(keyComment));
      }
      let vsb, vcb, valueComment;
      if (identity.isNode(value)) {
        vsb = !!value.spaceBefore;
        vcb = value.commentBefore;
        valueComment = value.comment;
      } else {
        vsb = false;
        vcb = null;
        valueComment = null;
        if (value && typeof value === "object")
          value = doc.createNode(value);
      }
      ctx.implicitKey = false;
      if (!explicitKey && !keyComment && identity.isScalar(value))
        ctx.indentAtStart = str.length + 1;
      chompKeep = false;
      if (!indentSeq && indentStep.length >= 2 && !ctx.inFlow && !explicitKey && identity.isSeq(value) && !value.flow && !value.tag && !value.anchor) {
        ctx.indent = ctx.indent.substring(2);
      }
      let valueCommentDone = false;
      const valueStr = stringify.stringify(value, ctx, () => valueCommentDone = true, () => chompKeep = true);
      let ws = " ";
      if (keyComment || vsb || vcb) {
        ws = vsb ? "\n" : "";
        if (vcb) {
          const cs = commentString(vcb);
          ws += `
${stringifyComment.indentComment(cs, ctx.indent)}`;
        }
        if (valueStr === "" && !ctx.inFlow) {
          if (ws === "\n" && valueComment)
            ws = "\n\n";
        } else {
          ws += `
${ctx.indent}`;
        }
      } else if (!explicitKey && identity.isCollection(value)) {
        const vs0 = valueStr[0];
        const nl0 = valueStr.indexOf("\n");
        const hasNewline = nl0 !== -1;
        const flow = ctx.inFlow ?? value.flow ?? value.items.length === 0;
        if (hasNewline || !flow) {
          let hasPropsLine = false;
          if (hasNewline && (vs0 === "&" || vs0 === "!")) {
            let sp0 = valueStr.indexOf(" ");
            if (vs0 === "&" && sp0 !== -1 && sp0 < nl0 && valueStr[sp0 + 1] === "!") {
              sp0 = valueStr.indexOf(" ", sp0 + 1);
            }
            if (sp0 === -1 || nl0 < sp0)
              hasPropsLine = true;
          }
          if (!hasPropsLine)
            ws = `
${ctx.indent}`;
        }
      } else if (valueStr === "" || valueStr[0] === "\n") {
        ws = "";
      }
      str += ws + valueStr;
      if (ctx.inFlow) {
        if (valueCommentDone && onComment)
          onComment();
      } else if (valueComment && !valueCommentDone) {
        str += stringifyComment.lineComment(str, ctx.indent, commentString(valueComment));
      } else if (chompKeep && onChompKeep) {
        onChompKeep();
      }
      return str;
    }
    exports2.stringifyPair = stringifyPair;
  }
});

// node_modules/yaml/dist/log.js
var require_log = __commonJS({
  "node_modules/yaml/dist/log.js"(exports2) {
    "use strict";
    var node_process = require("process");
    function debug(logLevel, ...messages) {
      if (logLevel === "debug")
        console.log(...messages);
    }
    function warn(logLevel, warning) {
      if (logLevel === "debug" || logLevel === "warn") {
        if (typeof node_process.emitWarning === "function")
          node_process.emitWarning(warning);
        else
          console.warn(warning);
      }
    }
    exports2.debug = debug;
    exports2.warn = warn;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/merge.js
var require_merge = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/merge.js"(exports2) {
    "use strict";
    var identity = require_identity();
    var Scalar = require_Scalar();
    var MERGE_KEY = "<<";
    var merge = {
      identify: (value) => value === MERGE_KEY || typeof value === "symbol" && value.description === MERGE_KEY,
      default: "key",
      tag: "tag:yaml.org,2002:merge",
      test: /^<<$/,
      resolve: () => Object.assign(new Scalar.Scalar(Symbol(MERGE_KEY)), {
        addToJSMap: addMergeToJSMap
      }),
      stringify: () => MERGE_KEY
    };
    var isMergeKey = (ctx, key) => (merge.identify(key) || identity.isScalar(key) && (!key.type || key.type === Scalar.Scalar.PLAIN) && merge.identify(key.value)) && ctx?.doc.schema.tags.some((tag) => tag.tag === merge.tag && tag.default);
    function addMergeToJSMap(ctx, map, value) {
      const source = resolveAliasValue(ctx, value);
      if (identity.isSeq(source))
        for (const it of source.items)
          mergeValue(ctx, map, it);
      else if (Array.isArray(source))
        for (const it of source)
          mergeValue(ctx, map, it);
      else
        mergeValue(ctx, map, source);
    }
    function mergeValue(ctx, map, value) {
      const source = resolveAliasValue(ctx, value);
      if (!identity.isMap(source))
        throw new Error("Merge sources must be maps or map aliases");
      const srcMap = source.toJSON(null, ctx, Map);
      for (const [key, value2] of srcMap) {
        if (map instanceof Map) {
          if (!map.has(key))
            map.set(key, value2);
        } else if (map instanceof Set) {
          map.add(key);
        } else if (!Object.prototype.hasOwnProperty.call(map, key)) {
          Object.defineProperty(map, key, {
            value: value2,
            writable: true,
            enumerable: true,
            configurable: true
          });
        }
      }
      return map;
    }
    function resolveAliasValue(ctx, value) {
      return ctx && identity.isAlias(value) ? value.resolve(ctx.doc, ctx) : value;
    }
    exports2.addMergeToJSMap = addMergeToJSMap;
    exports2.isMergeKey = isMergeKey;
    exports2.merge = merge;
  }
});

// node_modules/yaml/dist/nodes/addPairToJSMap.js
var require_addPairToJSMap = __commonJS({
  "node_modules/yaml/dist/nodes/addPairToJSMap.js"(exports2) {
    "use strict";
    var log = require_log();
    var merge = require_merge();
    var stringify = require_stringify();
    var identity = require_identity();
    var toJS = require_toJS();
    function addPairToJSMap(ctx, map, { key, value }) {
      if (identity.isNode(key) && key.addToJSMap)
        key.addToJSMap(ctx, map, value);
      else if (merge.isMergeKey(ctx, key))
        merge.addMergeToJSMap(ctx, map, value);
      else {
        const jsKey = toJS.toJS(key, "", ctx);
        if (map instanceof Map) {
          map.set(jsKey, toJS.toJS(value, jsKey, ctx));
        } else if (map instanceof Set) {
          map.add(jsKey);
        } else {
          const stringKey = stringifyKey(key, jsKey, ctx);
          const jsValue = toJS.toJS(value, stringKey, ctx);
          if (stringKey in map)
            Object.defineProperty(map, stringKey, {
              value: jsValue,
              writable: true,
              enumerable: true,
              configurable: true
            });
          else
            map[stringKey] = jsValue;
        }
      }
      return map;
    }
    function stringifyKey(key, jsKey, ctx) {
      if (jsKey === null)
        return "";
      if (typeof jsKey !== "object")
        return String(jsKey);
      if (identity.isNode(key) && ctx?.doc) {
        const strCtx = stringify.createStringifyContext(ctx.doc, {});
        strCtx.anchors = /* @__PURE__ */ new Set();
        for (const node of ctx.anchors.keys())
          strCtx.anchors.add(node.anchor);
        strCtx.inFlow = true;
        strCtx.inStringifyKey = true;
        const strKey = key.toString(strCtx);
        if (!ctx.mapKeyWarned) {
          let jsonStr = JSON.stringify(strKey);
          if (jsonStr.length > 40)
            jsonStr = jsonStr.substring(0, 36) + '..."';
          log.warn(ctx.doc.options.logLevel, `Keys with collection values will be stringified due to JS Object restrictions: ${jsonStr}. Set mapAsMap: true to use object keys.`);
          ctx.mapKeyWarned = true;
        }
        return strKey;
      }
      return JSON.stringify(jsKey);
    }
    exports2.addPairToJSMap = addPairToJSMap;
  }
});

// node_modules/yaml/dist/nodes/Pair.js
var require_Pair = __commonJS({
  "node_modules/yaml/dist/nodes/Pair.js"(exports2) {
    "use strict";
    var createNode = require_createNode();
    var stringifyPair = require_stringifyPair();
    var addPairToJSMap = require_addPairToJSMap();
    var identity = require_identity();
    function createPair(key, value, ctx) {
      const k = createNode.createNode(key, void 0, ctx);
      const v = createNode.createNode(value, void 0, ctx);
      return new Pair(k, v);
    }
    var Pair = class _Pair {
      constructor(key, value = null) {
        Object.defineProperty(this, identity.NODE_TYPE, { value: identity.PAIR });
        this.key = key;
        this.value = value;
      }
      clone(schema) {
        let { key, value } = this;
        if (identity.isNode(key))
          key = key.clone(schema);
        if (identity.isNode(value))
          value = value.clone(schema);
        return new _Pair(key, value);
      }
      toJSON(_, ctx) {
        const pair = ctx?.mapAsMap ? /* @__PURE__ */ new Map() : {};
        return addPairToJSMap.addPairToJSMap(ctx, pair, this);
      }
      toString(ctx, onComment, onChompKeep) {
        return ctx?.doc ? stringifyPair.stringifyPair(this, ctx, onComment, onChompKeep) : JSON.stringify(this);
      }
    };
    exports2.Pair = Pair;
    exports2.createPair = createPair;
  }
});

// node_modules/yaml/dist/stringify/stringifyCollection.js
var require_stringifyCollection = __commonJS({
  "node_modules/yaml/dist/stringify/stringifyCollection.js"(exports2) {
    "use strict";
    var identity = require_identity();
    var stringify = require_stringify();
    var stringifyComment = require_stringifyComment();
    function stringifyCollection(collection, ctx, options) {
      const flow = ctx.inFlow ?? collection.flow;
      const stringify2 = flow ? stringifyFlowCollection : stringifyBlockCollection;
      return stringify2(collection, ctx, options);
    }
    function stringifyBlockCollection({ comment, items }, ctx, { blockItemPrefix, flowChars, itemIndent, onChompKeep, onComment }) {
      const { indent, options: { commentString } } = ctx;
      const itemCtx = Object.assign({}, ctx, { indent: itemIndent, type: null });
      let chompKeep = false;
      const lines = [];
      for (let i = 0; i < items.length; ++i) {
        const item = items[i];
        let comment2 = null;
        if (identity.isNode(item)) {
          if (!chompKeep && item.spaceBefore)
            lines.push("");
          addCommentBefore(ctx, lines, item.commentBefore, chompKeep);
          if (item.comment)
            comment2 = item.comment;
        } else if (identity.isPair(item)) {
          const ik = identity.isNode(item.key) ? item.key : null;
          if (ik) {
            if (!chompKeep && ik.spaceBefore)
              lines.push("");
            addCommentBefore(ctx, lines, ik.commentBefore, chompKeep);
          }
        }
        chompKeep = false;
        let str2 = stringify.stringify(item, itemCtx, () => comment2 = null, () => chompKeep = true);
        if (comment2)
          str2 += stringifyComment.lineComment(str2, itemIndent, commentString(comment2));
        if (chompKeep && comment2)
          chompKeep = false;
        lines.push(blockItemPrefix + str2);
      }
      let str;
      if (lines.length === 0) {
        str = flowChars.start + flowChars.end;
      } else {
        str = lines[0];
        for (let i = 1; i < lines.length; ++i) {
          const line2 = lines[i];
          str += line2 ? `
${indent}${line2}` : "\n";
        }
      }
      if (comment) {
        str += "\n" + stringifyComment.indentComment(commentString(comment), indent);
        if (onComment)
          onComment();
      } else if (chompKeep && onChompKeep)
        onChompKeep();
      return str;
    }
    function stringifyFlowCollection({ items }, ctx, { flowChars, itemIndent }) {
      const { indent, indentStep, flowCollectionPadding: fcPadding, options: { commentString } } = ctx;
      itemIndent += indentStep;
      const itemCtx = Object.assign({}, ctx, {
        indent: itemIndent,
        inFlow: true,
        type: null
      });
      let reqNewline = false;
      let linesAtValue = 0;
      const lines = [];
      for (let i = 0; i < items.length; ++i) {
        const item = items[i];
        let comment = null;
        if (identity.isNode(item)) {
          if (item.spaceBefore)
            lines.push("");
          addCommentBefore(ctx, lines, item.commentBefore, false);
          if (item.comment)
            comment = item.comment;
        } else if (identity.isPair(item)) {
          const ik = identity.isNode(item.key) ? item.key : null;
          if (ik) {
            if (ik.spaceBefore)
              lines.push("");
            addCommentBefore(ctx, lines, ik.commentBefore, false);
            if (ik.comment)
              reqNewline = true;
          }
          const iv = identity.isNode(item.value) ? item.value : null;
          if (iv) {
            if (iv.comment)
              comment = iv.comment;
            if (iv.commentBefore)
              reqNewline = true;
          } else if (item.value == null && ik?.comment) {
            comment = ik.comment;
          }
        }
        if (comment)
          reqNewline = true;
        let str = stringify.stringify(item, itemCtx, () => comment = null);
        reqNewline || (reqNewline = lines.length > linesAtValue || str.includes("\n"));
        if (i < items.length - 1) {
          str += ",";
        } else if (ctx.options.trailingComma) {
          if (ctx.options.lineWidth > 0) {
            reqNewline || (reqNewline = lines.reduce((sum, line2) => sum + line2.length + 2, 2) + (str.length + 2) > ctx.options.lineWidth);
          }
          if (reqNewline) {
            str += ",";
          }
        }
        if (comment)
          str += stringifyComment.lineComment(str, itemIndent, commentString(comment));
        lines.push(str);
        linesAtValue = lines.length;
      }
      const { start, end } = flowChars;
      if (lines.length === 0) {
        return start + end;
      } else {
        if (!reqNewline) {
          const len = lines.reduce((sum, line2) => sum + line2.length + 2, 2);
          reqNewline = ctx.options.lineWidth > 0 && len > ctx.options.lineWidth;
        }
        if (reqNewline) {
          let str = start;
          for (const line2 of lines)
            str += line2 ? `
${indentStep}${indent}${line2}` : "\n";
          return `${str}
${indent}${end}`;
        } else {
          return `${start}${fcPadding}${lines.join(" ")}${fcPadding}${end}`;
        }
      }
    }
    function addCommentBefore({ indent, options: { commentString } }, lines, comment, chompKeep) {
      if (comment && chompKeep)
        comment = comment.replace(/^\n+/, "");
      if (comment) {
        const ic = stringifyComment.indentComment(commentString(comment), indent);
        lines.push(ic.trimStart());
      }
    }
    exports2.stringifyCollection = stringifyCollection;
  }
});

// node_modules/yaml/dist/nodes/YAMLMap.js
var require_YAMLMap = __commonJS({
  "node_modules/yaml/dist/nodes/YAMLMap.js"(exports2) {
    "use strict";
    var stringifyCollection = require_stringifyCollection();
    var addPairToJSMap = require_addPairToJSMap();
    var Collection = require_Collection();
    var identity = require_identity();
    var Pair = require_Pair();
    var Scalar = require_Scalar();
    function findPair(items, key) {
      const k = identity.isScalar(key) ? key.value : key;
      for (const it of items) {
        if (identity.isPair(it)) {
          if (it.key === key || it.key === k)
            return it;
          if (identity.isScalar(it.key) && it.key.value === k)
            return it;
        }
      }
      return void 0;
    }
    var YAMLMap = class extends Collection.Collection {
      static get tagName() {
        return "tag:yaml.org,2002:map";
      }
      constructor(schema) {
        super(identity.MAP, schema);
        this.items = [];
      }
      /**
       * A generic collection parsing method that can be extended
       * to other node classes that inherit from YAMLMap
       */
      static from(schema, obj, ctx) {
        const { keepUndefined, replacer } = ctx;
        const map = new this(schema);
        const add = (key, value) => {
          if (typeof replacer === "function")
            value = replacer.call(obj, key, value);
          else if (Array.isArray(replacer) && !replacer.includes(key))
            return;
          if (value !== void 0 || keepUndefined)
            map.items.push(Pair.createPair(key, value, ctx));
        };
        if (obj instanceof Map) {
          for (const [key, value] of obj)
            add(key, value);
        } else if (obj && typeof obj === "object") {
          for (const key of Object.keys(obj))
            add(key, obj[key]);
        }
        if (typeof schema.sortMapEntries === "function") {
          map.items.sort(schema.sortMapEntries);
        }
        return map;
      }
      /**
       * Adds a value to the collection.
       *
       * @param overwrite - If not set `true`, using a key that is already in the
       *   collection will throw. Otherwise, overwrites the previous value.
       */
      add(pair, overwrite) {
        let _pair;
        if (identity.isPair(pair))
          _pair = pair;
        else if (!pair || typeof pair !== "object" || !("key" in pair)) {
          _pair = new Pair.Pair(pair, pair?.value);
        } else
          _pair = new Pair.Pair(pair.key, pair.value);
        const prev = findPair(this.items, _pair.key);
        const sortEntries = this.schema?.sortMapEntries;
        if (prev) {
          if (!overwrite)
            throw new Error(`Key ${_pair.key} already set`);
          if (identity.isScalar(prev.value) && Scalar.isScalarValue(_pair.value))
            prev.value.value = _pair.value;
          else
            prev.value = _pair.value;
        } else if (sortEntries) {
          const i = this.items.findIndex((item) => sortEntries(_pair, item) < 0);
          if (i === -1)
            this.items.push(_pair);
          else
            this.items.splice(i, 0, _pair);
        } else {
          this.items.push(_pair);
        }
      }
      delete(key) {
        const it = findPair(this.items, key);
        if (!it)
          return false;
        const del = this.items.splice(this.items.indexOf(it), 1);
        return del.length > 0;
      }
      get(key, keepScalar) {
        const it = findPair(this.items, key);
        const node = it?.value;
        return (!keepScalar && identity.isScalar(node) ? node.value : node) ?? void 0;
      }
      has(key) {
        return !!findPair(this.items, key);
      }
      set(key, value) {
        this.add(new Pair.Pair(key, value), true);
      }
      /**
       * @param ctx - Conversion context, originally set in Document#toJS()
       * @param {Class} Type - If set, forces the returned collection type
       * @returns Instance of Type, Map, or Object
       */
      toJSON(_, ctx, Type) {
        const map = Type ? new Type() : ctx?.mapAsMap ? /* @__PURE__ */ new Map() : {};
        if (ctx?.onCreate)
          ctx.onCreate(map);
        for (const item of this.items)
          addPairToJSMap.addPairToJSMap(ctx, map, item);
        return map;
      }
      toString(ctx, onComment, onChompKeep) {
        if (!ctx)
          return JSON.stringify(this);
        for (const item of this.items) {
          if (!identity.isPair(item))
            throw new Error(`Map items must all be pairs; found ${JSON.stringify(item)} instead`);
        }
        if (!ctx.allNullValues && this.hasAllNullValues(false))
          ctx = Object.assign({}, ctx, { allNullValues: true });
        return stringifyCollection.stringifyCollection(this, ctx, {
          blockItemPrefix: "",
          flowChars: { start: "{", end: "}" },
          itemIndent: ctx.indent || "",
          onChompKeep,
          onComment
        });
      }
    };
    exports2.YAMLMap = YAMLMap;
    exports2.findPair = findPair;
  }
});

// node_modules/yaml/dist/schema/common/map.js
var require_map = __commonJS({
  "node_modules/yaml/dist/schema/common/map.js"(exports2) {
    "use strict";
    var identity = require_identity();
    var YAMLMap = require_YAMLMap();
    var map = {
      collection: "map",
      default: true,
      nodeClass: YAMLMap.YAMLMap,
      tag: "tag:yaml.org,2002:map",
      resolve(map2, onError) {
        if (!identity.isMap(map2))
          onError("Expected a mapping for this tag");
        return map2;
      },
      createNode: (schema, obj, ctx) => YAMLMap.YAMLMap.from(schema, obj, ctx)
    };
    exports2.map = map;
  }
});

// node_modules/yaml/dist/nodes/YAMLSeq.js
var require_YAMLSeq = __commonJS({
  "node_modules/yaml/dist/nodes/YAMLSeq.js"(exports2) {
    "use strict";
    var createNode = require_createNode();
    var stringifyCollection = require_stringifyCollection();
    var Collection = require_Collection();
    var identity = require_identity();
    var Scalar = require_Scalar();
    var toJS = require_toJS();
    var YAMLSeq = class extends Collection.Collection {
      static get tagName() {
        return "tag:yaml.org,2002:seq";
      }
      constructor(schema) {
        super(identity.SEQ, schema);
        this.items = [];
      }
      add(value) {
        this.items.push(value);
      }
      /**
       * Removes a value from the collection.
       *
       * `key` must contain a representation of an integer for this to succeed.
       * It may be wrapped in a `Scalar`.
       *
       * @returns `true` if the item was found and removed.
       */
      delete(key) {
        const idx = asItemIndex(key);
        if (typeof idx !== "number")
          return false;
        const del = this.items.splice(idx, 1);
        return del.length > 0;
      }
      get(key, keepScalar) {
        const idx = asItemIndex(key);
        if (typeof idx !== "number")
          return void 0;
        const it = this.items[idx];
        return !keepScalar && identity.isScalar(it) ? it.value : it;
      }
      /**
       * Checks if the collection includes a value with the key `key`.
       *
       * `key` must contain a representation of an integer for this to succeed.
       * It may be wrapped in a `Scalar`.
       */
      has(key) {
        const idx = asItemIndex(key);
        return typeof idx === "number" && idx < this.items.length;
      }
      /**
       * Sets a value in this collection. For `!!set`, `value` needs to be a
       * boolean to add/remove the item from the set.
       *
       * If `key` does not contain a representation of an integer, this will throw.
       * It may be wrapped in a `Scalar`.
       */
      set(key, value) {
        const idx = asItemIndex(key);
        if (typeof idx !== "number")
          throw new Error(`Expected a valid index, not ${key}.`);
        const prev = this.items[idx];
        if (identity.isScalar(prev) && Scalar.isScalarValue(value))
          prev.value = value;
        else
          this.items[idx] = value;
      }
      toJSON(_, ctx) {
        const seq = [];
        if (ctx?.onCreate)
          ctx.onCreate(seq);
        let i = 0;
        for (const item of this.items)
          seq.push(toJS.toJS(item, String(i++), ctx));
        return seq;
      }
      toString(ctx, onComment, onChompKeep) {
        if (!ctx)
          return JSON.stringify(this);
        return stringifyCollection.stringifyCollection(this, ctx, {
          blockItemPrefix: "- ",
          flowChars: { start: "[", end: "]" },
          itemIndent: (ctx.indent || "") + "  ",
          onChompKeep,
          onComment
        });
      }
      static from(schema, obj, ctx) {
        const { replacer } = ctx;
        const seq = new this(schema);
        if (obj && Symbol.iterator in Object(obj)) {
          let i = 0;
          for (let it of obj) {
            if (typeof replacer === "function") {
              const key = obj instanceof Set ? it : String(i++);
              it = replacer.call(obj, key, it);
            }
            seq.items.push(createNode.createNode(it, void 0, ctx));
          }
        }
        return seq;
      }
    };
    function asItemIndex(key) {
      let idx = identity.isScalar(key) ? key.value : key;
      if (idx && typeof idx === "string")
        idx = Number(idx);
      return typeof idx === "number" && Number.isInteger(idx) && idx >= 0 ? idx : null;
    }
    exports2.YAMLSeq = YAMLSeq;
  }
});

// node_modules/yaml/dist/schema/common/seq.js
var require_seq = __commonJS({
  "node_modules/yaml/dist/schema/common/seq.js"(exports2) {
    "use strict";
    var identity = require_identity();
    var YAMLSeq = require_YAMLSeq();
    var seq = {
      collection: "seq",
      default: true,
      nodeClass: YAMLSeq.YAMLSeq,
      tag: "tag:yaml.org,2002:seq",
      resolve(seq2, onError) {
        if (!identity.isSeq(seq2))
          onError("Expected a sequence for this tag");
        return seq2;
      },
      createNode: (schema, obj, ctx) => YAMLSeq.YAMLSeq.from(schema, obj, ctx)
    };
    exports2.seq = seq;
  }
});

// node_modules/yaml/dist/schema/common/string.js
var require_string = __commonJS({
  "node_modules/yaml/dist/schema/common/string.js"(exports2) {
    "use strict";
    var stringifyString = require_stringifyString();
    var string = {
      identify: (value) => typeof value === "string",
      default: true,
      tag: "tag:yaml.org,2002:str",
      resolve: (str) => str,
      stringify(item, ctx, onComment, onChompKeep) {
        ctx = Object.assign({ actualString: true }, ctx);
        return stringifyString.stringifyString(item, ctx, onComment, onChompKeep);
      }
    };
    exports2.string = string;
  }
});

// node_modules/yaml/dist/schema/common/null.js
var require_null = __commonJS({
  "node_modules/yaml/dist/schema/common/null.js"(exports2) {
    "use strict";
    var Scalar = require_Scalar();
    var nullTag = {
      identify: (value) => value == null,
      createNode: () => new Scalar.Scalar(null),
      default: true,
      tag: "tag:yaml.org,2002:null",
      test: /^(?:~|[Nn]ull|NULL)?$/,
      resolve: () => new Scalar.Scalar(null),
      stringify: ({ source }, ctx) => typeof source === "string" && nullTag.test.test(source) ? source : ctx.options.nullStr
    };
    exports2.nullTag = nullTag;
  }
});

// node_modules/yaml/dist/schema/core/bool.js
var require_bool = __commonJS({
  "node_modules/yaml/dist/schema/core/bool.js"(exports2) {
    "use strict";
    var Scalar = require_Scalar();
    var boolTag = {
      identify: (value) => typeof value === "boolean",
      default: true,
      tag: "tag:yaml.org,2002:bool",
      test: /^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/,
      resolve: (str) => new Scalar.Scalar(str[0] === "t" || str[0] === "T"),
      stringify({ source, value }, ctx) {
        if (source && boolTag.test.test(source)) {
          const sv = source[0] === "t" || source[0] === "T";
          if (value === sv)
            return source;
        }
        return value ? ctx.options.trueStr : ctx.options.falseStr;
      }
    };
    exports2.boolTag = boolTag;
  }
});

// node_modules/yaml/dist/stringify/stringifyNumber.js
var require_stringifyNumber = __commonJS({
  "node_modules/yaml/dist/stringify/stringifyNumber.js"(exports2) {
    "use strict";
    function stringifyNumber({ format, minFractionDigits, tag, value }) {
      if (typeof value === "bigint")
        return String(value);
      const num = typeof value === "number" ? value : Number(value);
      if (!isFinite(num))
        return isNaN(num) ? ".nan" : num < 0 ? "-.inf" : ".inf";
      let n2 = Object.is(value, -0) ? "-0" : JSON.stringify(value);
      if (!format && minFractionDigits && (!tag || tag === "tag:yaml.org,2002:float") && /^-?\d/.test(n2) && !n2.includes("e")) {
        let i = n2.indexOf(".");
        if (i < 0) {
          i = n2.length;
          n2 += ".";
        }
        let d = minFractionDigits - (n2.length - i - 1);
        while (d-- > 0)
          n2 += "0";
      }
      return n2;
    }
    exports2.stringifyNumber = stringifyNumber;
  }
});

// node_modules/yaml/dist/schema/core/float.js
var require_float = __commonJS({
  "node_modules/yaml/dist/schema/core/float.js"(exports2) {
    "use strict";
    var Scalar = require_Scalar();
    var stringifyNumber = require_stringifyNumber();
    var floatNaN = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      test: /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/,
      resolve: (str) => str.slice(-3).toLowerCase() === "nan" ? NaN : str[0] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY,
      stringify: stringifyNumber.stringifyNumber
    };
    var floatExp = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      format: "EXP",
      test: /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+$/,
      resolve: (str) => parseFloat(str),
      stringify(node) {
        const num = Number(node.value);
        return isFinite(num) ? num.toExponential() : stringifyNumber.stringifyNumber(node);
      }
    };
    var float = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      test: /^[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)$/,
      resolve(str) {
        const node = new Scalar.Scalar(parseFloat(str));
        const dot = str.indexOf(".");
        if (dot !== -1 && str[str.length - 1] === "0")
          node.minFractionDigits = str.length - dot - 1;
        return node;
      },
      stringify: stringifyNumber.stringifyNumber
    };
    exports2.float = float;
    exports2.floatExp = floatExp;
    exports2.floatNaN = floatNaN;
  }
});

// node_modules/yaml/dist/schema/core/int.js
var require_int = __commonJS({
  "node_modules/yaml/dist/schema/core/int.js"(exports2) {
    "use strict";
    var stringifyNumber = require_stringifyNumber();
    var intIdentify = (value) => typeof value === "bigint" || Number.isInteger(value);
    var intResolve = (str, offset, radix, { intAsBigInt }) => intAsBigInt ? BigInt(str) : parseInt(str.substring(offset), radix);
    function intStringify(node, radix, prefix) {
      const { value } = node;
      if (intIdentify(value) && value >= 0)
        return prefix + value.toString(radix);
      return stringifyNumber.stringifyNumber(node);
    }
    var intOct = {
      identify: (value) => intIdentify(value) && value >= 0,
      default: true,
      tag: "tag:yaml.org,2002:int",
      format: "OCT",
      test: /^0o[0-7]+$/,
      resolve: (str, _onError, opt) => intResolve(str, 2, 8, opt),
      stringify: (node) => intStringify(node, 8, "0o")
    };
    var int = {
      identify: intIdentify,
      default: true,
      tag: "tag:yaml.org,2002:int",
      test: /^[-+]?[0-9]+$/,
      resolve: (str, _onError, opt) => intResolve(str, 0, 10, opt),
      stringify: stringifyNumber.stringifyNumber
    };
    var intHex = {
      identify: (value) => intIdentify(value) && value >= 0,
      default: true,
      tag: "tag:yaml.org,2002:int",
      format: "HEX",
      test: /^0x[0-9a-fA-F]+$/,
      resolve: (str, _onError, opt) => intResolve(str, 2, 16, opt),
      stringify: (node) => intStringify(node, 16, "0x")
    };
    exports2.int = int;
    exports2.intHex = intHex;
    exports2.intOct = intOct;
  }
});

// node_modules/yaml/dist/schema/core/schema.js
var require_schema = __commonJS({
  "node_modules/yaml/dist/schema/core/schema.js"(exports2) {
    "use strict";
    var map = require_map();
    var _null = require_null();
    var seq = require_seq();
    var string = require_string();
    var bool = require_bool();
    var float = require_float();
    var int = require_int();
    var schema = [
      map.map,
      seq.seq,
      string.string,
      _null.nullTag,
      bool.boolTag,
      int.intOct,
      int.int,
      int.intHex,
      float.floatNaN,
      float.floatExp,
      float.float
    ];
    exports2.schema = schema;
  }
});

// node_modules/yaml/dist/schema/json/schema.js
var require_schema2 = __commonJS({
  "node_modules/yaml/dist/schema/json/schema.js"(exports2) {
    "use strict";
    var Scalar = require_Scalar();
    var map = require_map();
    var seq = require_seq();
    function intIdentify(value) {
      return typeof value === "bigint" || Number.isInteger(value);
    }
    var stringifyJSON = ({ value }) => JSON.stringify(value);
    var jsonScalars = [
      {
        identify: (value) => typeof value === "string",
        default: true,
        tag: "tag:yaml.org,2002:str",
        resolve: (str) => str,
        stringify: stringifyJSON
      },
      {
        identify: (value) => value == null,
        createNode: () => new Scalar.Scalar(null),
        default: true,
        tag: "tag:yaml.org,2002:null",
        test: /^null$/,
        resolve: () => null,
        stringify: stringifyJSON
      },
      {
        identify: (value) => typeof value === "boolean",
        default: true,
        tag: "tag:yaml.org,2002:bool",
        test: /^true$|^false$/,
        resolve: (str) => str === "true",
        stringify: stringifyJSON
      },
      {
        identify: intIdentify,
        default: true,
        tag: "tag:yaml.org,2002:int",
        test: /^-?(?:0|[1-9][0-9]*)$/,
        resolve: (str, _onError, { intAsBigInt }) => intAsBigInt ? BigInt(str) : parseInt(str, 10),
        stringify: ({ value }) => intIdentify(value) ? value.toString() : JSON.stringify(value)
      },
      {
        identify: (value) => typeof value === "number",
        default: true,
        tag: "tag:yaml.org,2002:float",
        test: /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?$/,
        resolve: (str) => parseFloat(str),
        stringify: stringifyJSON
      }
    ];
    var jsonError = {
      default: true,
      tag: "",
      test: /^/,
      resolve(str, onError) {
        onError(`Unresolved plain scalar ${JSON.stringify(str)}`);
        return str;
      }
    };
    var schema = [map.map, seq.seq].concat(jsonScalars, jsonError);
    exports2.schema = schema;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/binary.js
var require_binary = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/binary.js"(exports2) {
    "use strict";
    var node_buffer = require("buffer");
    var Scalar = require_Scalar();
    var stringifyString = require_stringifyString();
    var binary = {
      identify: (value) => value instanceof Uint8Array,
      // Buffer inherits from Uint8Array
      default: false,
      tag: "tag:yaml.org,2002:binary",
      /**
       * Returns a Buffer in node and an Uint8Array in browsers
       *
       * To use the resulting buffer as an image, you'll want to do something like:
       *
       *   const blob = new Blob([buffer], { type: 'image/jpeg' })
       *   document.querySelector('#photo').src = URL.createObjectURL(blob)
       */
      resolve(src, onError) {
        if (typeof node_buffer.Buffer === "function") {
          return node_buffer.Buffer.from(src, "base64");
        } else if (typeof atob === "function") {
          const str = atob(src.replace(/[\n\r]/g, ""));
          const buffer = new Uint8Array(str.length);
          for (let i = 0; i < str.length; ++i)
            buffer[i] = str.charCodeAt(i);
          return buffer;
        } else {
          onError("This environment does not support reading binary tags; either Buffer or atob is required");
          return src;
        }
      },
      stringify({ comment, type, value }, ctx, onComment, onChompKeep) {
        if (!value)
          return "";
        const buf = value;
        let str;
        if (typeof node_buffer.Buffer === "function") {
          str = buf instanceof node_buffer.Buffer ? buf.toString("base64") : node_buffer.Buffer.from(buf.buffer).toString("base64");
        } else if (typeof btoa === "function") {
          let s = "";
          for (let i = 0; i < buf.length; ++i)
            s += String.fromCharCode(buf[i]);
          str = btoa(s);
        } else {
          throw new Error("This environment does not support writing binary tags; either Buffer or btoa is required");
        }
        type ?? (type = Scalar.Scalar.BLOCK_LITERAL);
        if (type !== Scalar.Scalar.QUOTE_DOUBLE) {
          const lineWidth = Math.max(ctx.options.lineWidth - ctx.indent.length, ctx.options.minContentWidth);
          const n2 = Math.ceil(str.length / lineWidth);
          const lines = new Array(n2);
          for (let i = 0, o = 0; i < n2; ++i, o += lineWidth) {
            lines[i] = str.substr(o, lineWidth);
          }
          str = lines.join(type === Scalar.Scalar.BLOCK_LITERAL ? "\n" : " ");
        }
        return stringifyString.stringifyString({ comment, type, value: str }, ctx, onComment, onChompKeep);
      }
    };
    exports2.binary = binary;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/pairs.js
var require_pairs = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/pairs.js"(exports2) {
    "use strict";
    var identity = require_identity();
    var Pair = require_Pair();
    var Scalar = require_Scalar();
    var YAMLSeq = require_YAMLSeq();
    function resolvePairs(seq, onError) {
      if (identity.isSeq(seq)) {
        for (let i = 0; i < seq.items.length; ++i) {
          let item = seq.items[i];
          if (identity.isPair(item))
            continue;
          else if (identity.isMap(item)) {
            if (item.items.length > 1)
              onError("Each pair must have its own sequence indicator");
            const pair = item.items[0] || new Pair.Pair(new Scalar.Scalar(null));
            if (item.commentBefore)
              pair.key.commentBefore = pair.key.commentBefore ? `${item.commentBefore}
${pair.key.commentBefore}` : item.commentBefore;
            if (item.comment) {
              const cn = pair.value ?? pair.key;
              cn.comment = cn.comment ? `${item.comment}
${cn.comment}` : item.comment;
            }
            item = pair;
          }
          seq.items[i] = identity.isPair(item) ? item : new Pair.Pair(item);
        }
      } else
        onError("Expected a sequence for this tag");
      return seq;
    }
    function createPairs(schema, iterable, ctx) {
      const { replacer } = ctx;
      const pairs2 = new YAMLSeq.YAMLSeq(schema);
      pairs2.tag = "tag:yaml.org,2002:pairs";
      let i = 0;
      if (iterable && Symbol.iterator in Object(iterable))
        for (let it of iterable) {
          if (typeof replacer === "function")
            it = replacer.call(iterable, String(i++), it);
          let key, value;
          if (Array.isArray(it)) {
            if (it.length === 2) {
              key = it[0];
              value = it[1];
            } else
              throw new TypeError(`Expected [key, value] tuple: ${it}`);
          } else if (it && it instanceof Object) {
            const keys = Object.keys(it);
            if (keys.length === 1) {
              key = keys[0];
              value = it[key];
            } else {
              throw new TypeError(`Expected tuple with one key, not ${keys.length} keys`);
            }
          } else {
            key = it;
          }
          pairs2.items.push(Pair.createPair(key, value, ctx));
        }
      return pairs2;
    }
    var pairs = {
      collection: "seq",
      default: false,
      tag: "tag:yaml.org,2002:pairs",
      resolve: resolvePairs,
      createNode: createPairs
    };
    exports2.createPairs = createPairs;
    exports2.pairs = pairs;
    exports2.resolvePairs = resolvePairs;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/omap.js
var require_omap = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/omap.js"(exports2) {
    "use strict";
    var identity = require_identity();
    var toJS = require_toJS();
    var YAMLMap = require_YAMLMap();
    var YAMLSeq = require_YAMLSeq();
    var pairs = require_pairs();
    var YAMLOMap = class _YAMLOMap extends YAMLSeq.YAMLSeq {
      constructor() {
        super();
        this.add = YAMLMap.YAMLMap.prototype.add.bind(this);
        this.delete = YAMLMap.YAMLMap.prototype.delete.bind(this);
        this.get = YAMLMap.YAMLMap.prototype.get.bind(this);
        this.has = YAMLMap.YAMLMap.prototype.has.bind(this);
        this.set = YAMLMap.YAMLMap.prototype.set.bind(this);
        this.tag = _YAMLOMap.tag;
      }
      /**
       * If `ctx` is given, the return type is actually `Map<unknown, unknown>`,
       * but TypeScript won't allow widening the signature of a child method.
       */
      toJSON(_, ctx) {
        if (!ctx)
          return super.toJSON(_);
        const map = /* @__PURE__ */ new Map();
        if (ctx?.onCreate)
          ctx.onCreate(map);
        for (const pair of this.items) {
          let key, value;
          if (identity.isPair(pair)) {
            key = toJS.toJS(pair.key, "", ctx);
            value = toJS.toJS(pair.value, key, ctx);
          } else {
            key = toJS.toJS(pair, "", ctx);
          }
          if (map.has(key))
            throw new Error("Ordered maps must not include duplicate keys");
          map.set(key, value);
        }
        return map;
      }
      static from(schema, iterable, ctx) {
        const pairs$1 = pairs.createPairs(schema, iterable, ctx);
        const omap2 = new this();
        omap2.items = pairs$1.items;
        return omap2;
      }
    };
    YAMLOMap.tag = "tag:yaml.org,2002:omap";
    var omap = {
      collection: "seq",
      identify: (value) => value instanceof Map,
      nodeClass: YAMLOMap,
      default: false,
      tag: "tag:yaml.org,2002:omap",
      resolve(seq, onError) {
        const pairs$1 = pairs.resolvePairs(seq, onError);
        const seenKeys = [];
        for (const { key } of pairs$1.items) {
          if (identity.isScalar(key)) {
            if (seenKeys.includes(key.value)) {
              onError(`Ordered maps must not include duplicate keys: ${key.value}`);
            } else {
              seenKeys.push(key.value);
            }
          }
        }
        return Object.assign(new YAMLOMap(), pairs$1);
      },
      createNode: (schema, iterable, ctx) => YAMLOMap.from(schema, iterable, ctx)
    };
    exports2.YAMLOMap = YAMLOMap;
    exports2.omap = omap;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/bool.js
var require_bool2 = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/bool.js"(exports2) {
    "use strict";
    var Scalar = require_Scalar();
    function boolStringify({ value, source }, ctx) {
      const boolObj = value ? trueTag : falseTag;
      if (source && boolObj.test.test(source))
        return source;
      return value ? ctx.options.trueStr : ctx.options.falseStr;
    }
    var trueTag = {
      identify: (value) => value === true,
      default: true,
      tag: "tag:yaml.org,2002:bool",
      test: /^(?:Y|y|[Yy]es|YES|[Tt]rue|TRUE|[Oo]n|ON)$/,
      resolve: () => new Scalar.Scalar(true),
      stringify: boolStringify
    };
    var falseTag = {
      identify: (value) => value === false,
      default: true,
      tag: "tag:yaml.org,2002:bool",
      test: /^(?:N|n|[Nn]o|NO|[Ff]alse|FALSE|[Oo]ff|OFF)$/,
      resolve: () => new Scalar.Scalar(false),
      stringify: boolStringify
    };
    exports2.falseTag = falseTag;
    exports2.trueTag = trueTag;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/float.js
var require_float2 = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/float.js"(exports2) {
    "use strict";
    var Scalar = require_Scalar();
    var stringifyNumber = require_stringifyNumber();
    var floatNaN = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      test: /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/,
      resolve: (str) => str.slice(-3).toLowerCase() === "nan" ? NaN : str[0] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY,
      stringify: stringifyNumber.stringifyNumber
    };
    var floatExp = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      format: "EXP",
      test: /^[-+]?(?:[0-9][0-9_]*)?(?:\.[0-9_]*)?[eE][-+]?[0-9]+$/,
      resolve: (str) => parseFloat(str.replace(/_/g, "")),
      stringify(node) {
        const num = Number(node.value);
        return isFinite(num) ? num.toExponential() : stringifyNumber.stringifyNumber(node);
      }
    };
    var float = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      test: /^[-+]?(?:[0-9][0-9_]*)?\.[0-9_]*$/,
      resolve(str) {
        const node = new Scalar.Scalar(parseFloat(str.replace(/_/g, "")));
        const dot = str.indexOf(".");
        if (dot !== -1) {
          const f = str.substring(dot + 1).replace(/_/g, "");
          if (f[f.length - 1] === "0")
            node.minFractionDigits = f.length;
        }
        return node;
      },
      stringify: stringifyNumber.stringifyNumber
    };
    exports2.float = float;
    exports2.floatExp = floatExp;
    exports2.floatNaN = floatNaN;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/int.js
var require_int2 = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/int.js"(exports2) {
    "use strict";
    var stringifyNumber = require_stringifyNumber();
    var intIdentify = (value) => typeof value === "bigint" || Number.isInteger(value);
    function intResolve(str, offset, radix, { intAsBigInt }) {
      const sign = str[0];
      if (sign === "-" || sign === "+")
        offset += 1;
      str = str.substring(offset).replace(/_/g, "");
      if (intAsBigInt) {
        switch (radix) {
          case 2:
            str = `0b${str}`;
            break;
          case 8:
            str = `0o${str}`;
            break;
          case 16:
            str = `0x${str}`;
            break;
        }
        const n3 = BigInt(str);
        return sign === "-" ? BigInt(-1) * n3 : n3;
      }
      const n2 = parseInt(str, radix);
      return sign === "-" ? -1 * n2 : n2;
    }
    function intStringify(node, radix, prefix) {
      const { value } = node;
      if (intIdentify(value)) {
        const str = value.toString(radix);
        return value < 0 ? "-" + prefix + str.substr(1) : prefix + str;
      }
      return stringifyNumber.stringifyNumber(node);
    }
    var intBin = {
      identify: intIdentify,
      default: true,
      tag: "tag:yaml.org,2002:int",
      format: "BIN",
      test: /^[-+]?0b[0-1_]+$/,
      resolve: (str, _onError, opt) => intResolve(str, 2, 2, opt),
      stringify: (node) => intStringify(node, 2, "0b")
    };
    var intOct = {
      identify: intIdentify,
      default: true,
      tag: "tag:yaml.org,2002:int",
      format: "OCT",
      test: /^[-+]?0[0-7_]+$/,
      resolve: (str, _onError, opt) => intResolve(str, 1, 8, opt),
      stringify: (node) => intStringify(node, 8, "0")
    };
    var int = {
      identify: intIdentify,
      default: true,
      tag: "tag:yaml.org,2002:int",
      test: /^[-+]?[0-9][0-9_]*$/,
      resolve: (str, _onError, opt) => intResolve(str, 0, 10, opt),
      stringify: stringifyNumber.stringifyNumber
    };
    var intHex = {
      identify: intIdentify,
      default: true,
      tag: "tag:yaml.org,2002:int",
      format: "HEX",
      test: /^[-+]?0x[0-9a-fA-F_]+$/,
      resolve: (str, _onError, opt) => intResolve(str, 2, 16, opt),
      stringify: (node) => intStringify(node, 16, "0x")
    };
    exports2.int = int;
    exports2.intBin = intBin;
    exports2.intHex = intHex;
    exports2.intOct = intOct;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/set.js
var require_set = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/set.js"(exports2) {
    "use strict";
    var identity = require_identity();
    var Pair = require_Pair();
    var YAMLMap = require_YAMLMap();
    var YAMLSet = class _YAMLSet extends YAMLMap.YAMLMap {
      constructor(schema) {
        super(schema);
        this.tag = _YAMLSet.tag;
      }
      add(key) {
        let pair;
        if (identity.isPair(key))
          pair = key;
        else if (key && typeof key === "object" && "key" in key && "value" in key && key.value === null)
          pair = new Pair.Pair(key.key, null);
        else
          pair = new Pair.Pair(key, null);
        const prev = YAMLMap.findPair(this.items, pair.key);
        if (!prev)
          this.items.push(pair);
      }
      /**
       * If `keepPair` is `true`, returns the Pair matching `key`.
       * Otherwise, returns the value of that Pair's key.
       */
      get(key, keepPair) {
        const pair = YAMLMap.findPair(this.items, key);
        return !keepPair && identity.isPair(pair) ? identity.isScalar(pair.key) ? pair.key.value : pair.key : pair;
      }
      set(key, value) {
        if (typeof value !== "boolean")
          throw new Error(`Expected boolean value for set(key, value) in a YAML set, not ${typeof value}`);
        const prev = YAMLMap.findPair(this.items, key);
        if (prev && !value) {
          this.items.splice(this.items.indexOf(prev), 1);
        } else if (!prev && value) {
          this.items.push(new Pair.Pair(key));
        }
      }
      toJSON(_, ctx) {
        return super.toJSON(_, ctx, Set);
      }
      toString(ctx, onComment, onChompKeep) {
        if (!ctx)
          return JSON.stringify(this);
        if (this.hasAllNullValues(true))
          return super.toString(Object.assign({}, ctx, { allNullValues: true }), onComment, onChompKeep);
        else
          throw new Error("Set items must all have null values");
      }
      static from(schema, iterable, ctx) {
        const { replacer } = ctx;
        const set2 = new this(schema);
        if (iterable && Symbol.iterator in Object(iterable))
          for (let value of iterable) {
            if (typeof replacer === "function")
              value = replacer.call(iterable, value, value);
            set2.items.push(Pair.createPair(value, null, ctx));
          }
        return set2;
      }
    };
    YAMLSet.tag = "tag:yaml.org,2002:set";
    var set = {
      collection: "map",
      identify: (value) => value instanceof Set,
      nodeClass: YAMLSet,
      default: false,
      tag: "tag:yaml.org,2002:set",
      createNode: (schema, iterable, ctx) => YAMLSet.from(schema, iterable, ctx),
      resolve(map, onError) {
        if (identity.isMap(map)) {
          if (map.hasAllNullValues(true))
            return Object.assign(new YAMLSet(), map);
          else
            onError("Set items must all have null values");
        } else
          onError("Expected a mapping for this tag");
        return map;
      }
    };
    exports2.YAMLSet = YAMLSet;
    exports2.set = set;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/timestamp.js
var require_timestamp = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/timestamp.js"(exports2) {
    "use strict";
    var stringifyNumber = require_stringifyNumber();
    function parseSexagesimal(str, asBigInt) {
      const sign = str[0];
      const parts = sign === "-" || sign === "+" ? str.substring(1) : str;
      const num = (n2) => asBigInt ? BigInt(n2) : Number(n2);
      const res = parts.replace(/_/g, "").split(":").reduce((res2, p) => res2 * num(60) + num(p), num(0));
      return sign === "-" ? num(-1) * res : res;
    }
    function stringifySexagesimal(node) {
      let { value } = node;
      let num = (n2) => n2;
      if (typeof value === "bigint")
        num = (n2) => BigInt(n2);
      else if (isNaN(value) || !isFinite(value))
        return stringifyNumber.stringifyNumber(node);
      let sign = "";
      if (value < 0) {
        sign = "-";
        value *= num(-1);
      }
      const _60 = num(60);
      const parts = [value % _60];
      if (value < 60) {
        parts.unshift(0);
      } else {
        value = (value - parts[0]) / _60;
        parts.unshift(value % _60);
        if (value >= 60) {
          value = (value - parts[0]) / _60;
          parts.unshift(value);
        }
      }
      return sign + parts.map((n2) => String(n2).padStart(2, "0")).join(":").replace(/000000\d*$/, "");
    }
    var intTime = {
      identify: (value) => typeof value === "bigint" || Number.isInteger(value),
      default: true,
      tag: "tag:yaml.org,2002:int",
      format: "TIME",
      test: /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+$/,
      resolve: (str, _onError, { intAsBigInt }) => parseSexagesimal(str, intAsBigInt),
      stringify: stringifySexagesimal
    };
    var floatTime = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      format: "TIME",
      test: /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*$/,
      resolve: (str) => parseSexagesimal(str, false),
      stringify: stringifySexagesimal
    };
    var timestamp = {
      identify: (value) => value instanceof Date,
      default: true,
      tag: "tag:yaml.org,2002:timestamp",
      // If the time zone is omitted, the timestamp is assumed to be specified in UTC. The time part
      // may be omitted altogether, resulting in a date format. In such a case, the time part is
      // assumed to be 00:00:00Z (start of day, UTC).
      test: RegExp("^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:(?:t|T|[ \\t]+)([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2}(\\.[0-9]+)?)(?:[ \\t]*(Z|[-+][012]?[0-9](?::[0-9]{2})?))?)?$"),
      resolve(str) {
        const match = str.match(timestamp.test);
        if (!match)
          throw new Error("!!timestamp expects a date, starting with yyyy-mm-dd");
        const [, year, month, day, hour, minute, second] = match.map(Number);
        const millisec = match[7] ? Number((match[7] + "00").substr(1, 3)) : 0;
        let date = Date.UTC(year, month - 1, day, hour || 0, minute || 0, second || 0, millisec);
        const tz = match[8];
        if (tz && tz !== "Z") {
          let d = parseSexagesimal(tz, false);
          if (Math.abs(d) < 30)
            d *= 60;
          date -= 6e4 * d;
        }
        return new Date(date);
      },
      stringify: ({ value }) => value?.toISOString().replace(/(T00:00:00)?\.000Z$/, "") ?? ""
    };
    exports2.floatTime = floatTime;
    exports2.intTime = intTime;
    exports2.timestamp = timestamp;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/schema.js
var require_schema3 = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/schema.js"(exports2) {
    "use strict";
    var map = require_map();
    var _null = require_null();
    var seq = require_seq();
    var string = require_string();
    var binary = require_binary();
    var bool = require_bool2();
    var float = require_float2();
    var int = require_int2();
    var merge = require_merge();
    var omap = require_omap();
    var pairs = require_pairs();
    var set = require_set();
    var timestamp = require_timestamp();
    var schema = [
      map.map,
      seq.seq,
      string.string,
      _null.nullTag,
      bool.trueTag,
      bool.falseTag,
      int.intBin,
      int.intOct,
      int.int,
      int.intHex,
      float.floatNaN,
      float.floatExp,
      float.float,
      binary.binary,
      merge.merge,
      omap.omap,
      pairs.pairs,
      set.set,
      timestamp.intTime,
      timestamp.floatTime,
      timestamp.timestamp
    ];
    exports2.schema = schema;
  }
});

// node_modules/yaml/dist/schema/tags.js
var require_tags = __commonJS({
  "node_modules/yaml/dist/schema/tags.js"(exports2) {
    "use strict";
    var map = require_map();
    var _null = require_null();
    var seq = require_seq();
    var string = require_string();
    var bool = require_bool();
    var float = require_float();
    var int = require_int();
    var schema = require_schema();
    var schema$1 = require_schema2();
    var binary = require_binary();
    var merge = require_merge();
    var omap = require_omap();
    var pairs = require_pairs();
    var schema$2 = require_schema3();
    var set = require_set();
    var timestamp = require_timestamp();
    var schemas = /* @__PURE__ */ new Map([
      ["core", schema.schema],
      ["failsafe", [map.map, seq.seq, string.string]],
      ["json", schema$1.schema],
      ["yaml11", schema$2.schema],
      ["yaml-1.1", schema$2.schema]
    ]);
    var tagsByName = {
      binary: binary.binary,
      bool: bool.boolTag,
      float: float.float,
      floatExp: float.floatExp,
      floatNaN: float.floatNaN,
      floatTime: timestamp.floatTime,
      int: int.int,
      intHex: int.intHex,
      intOct: int.intOct,
      intTime: timestamp.intTime,
      map: map.map,
      merge: merge.merge,
      null: _null.nullTag,
      omap: omap.omap,
      pairs: pairs.pairs,
      seq: seq.seq,
      set: set.set,
      timestamp: timestamp.timestamp
    };
    var coreKnownTags = {
      "tag:yaml.org,2002:binary": binary.binary,
      "tag:yaml.org,2002:merge": merge.merge,
      "tag:yaml.org,2002:omap": omap.omap,
      "tag:yaml.org,2002:pairs": pairs.pairs,
      "tag:yaml.org,2002:set": set.set,
      "tag:yaml.org,2002:timestamp": timestamp.timestamp
    };
    function getTags(customTags, schemaName, addMergeTag) {
      const schemaTags = schemas.get(schemaName);
      if (schemaTags && !customTags) {
        return addMergeTag && !schemaTags.includes(merge.merge) ? schemaTags.concat(merge.merge) : schemaTags.slice();
      }
      let tags = schemaTags;
      if (!tags) {
        if (Array.isArray(customTags))
          tags = [];
        else {
          const keys = Array.from(schemas.keys()).filter((key) => key !== "yaml11").map((key) => JSON.stringify(key)).join(", ");
          throw new Error(`Unknown schema "${schemaName}"; use one of ${keys} or define customTags array`);
        }
      }
      if (Array.isArray(customTags)) {
        for (const tag of customTags)
          tags = tags.concat(tag);
      } else if (typeof customTags === "function") {
        tags = customTags(tags.slice());
      }
      if (addMergeTag)
        tags = tags.concat(merge.merge);
      return tags.reduce((tags2, tag) => {
        const tagObj = typeof tag === "string" ? tagsByName[tag] : tag;
        if (!tagObj) {
          const tagName = JSON.stringify(tag);
          const keys = Object.keys(tagsByName).map((key) => JSON.stringify(key)).join(", ");
          throw new Error(`Unknown custom tag ${tagName}; use one of ${keys}`);
        }
        if (!tags2.includes(tagObj))
          tags2.push(tagObj);
        return tags2;
      }, []);
    }
    exports2.coreKnownTags = coreKnownTags;
    exports2.getTags = getTags;
  }
});

// node_modules/yaml/dist/schema/Schema.js
var require_Schema = __commonJS({
  "node_modules/yaml/dist/schema/Schema.js"(exports2) {
    "use strict";
    var identity = require_identity();
    var map = require_map();
    var seq = require_seq();
    var string = require_string();
    var tags = require_tags();
    var sortMapEntriesByKey = (a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
    var Schema = class _Schema {
      constructor({ compat, customTags, merge, resolveKnownTags, schema, sortMapEntries, toStringDefaults }) {
        this.compat = Array.isArray(compat) ? tags.getTags(compat, "compat") : compat ? tags.getTags(null, compat) : null;
        this.name = typeof schema === "string" && schema || "core";
        this.knownTags = resolveKnownTags ? tags.coreKnownTags : {};
        this.tags = tags.getTags(customTags, this.name, merge);
        this.toStringOptions = toStringDefaults ?? null;
        Object.defineProperty(this, identity.MAP, { value: map.map });
        Object.defineProperty(this, identity.SCALAR, { value: string.string });
        Object.defineProperty(this, identity.SEQ, { value: seq.seq });
        this.sortMapEntries = typeof sortMapEntries === "function" ? sortMapEntries : sortMapEntries === true ? sortMapEntriesByKey : null;
      }
      clone() {
        const copy = Object.create(_Schema.prototype, Object.getOwnPropertyDescriptors(this));
        copy.tags = this.tags.slice();
        return copy;
      }
    };
    exports2.Schema = Schema;
  }
});

// node_modules/yaml/dist/stringify/stringifyDocument.js
var require_stringifyDocument = __commonJS({
  "node_modules/yaml/dist/stringify/stringifyDocument.js"(exports2) {
    "use strict";
    var identity = require_identity();
    var stringify = require_stringify();
    var stringifyComment = require_stringifyComment();
    function stringifyDocument(doc, options) {
      const lines = [];
      let hasDirectives = options.directives === true;
      if (options.directives !== false && doc.directives) {
        const dir2 = doc.directives.toString(doc);
        if (dir2) {
          lines.push(dir2);
          hasDirectives = true;
        } else if (doc.directives.docStart)
          hasDirectives = true;
      }
      if (hasDirectives)
        lines.push("---");
      const ctx = stringify.createStringifyContext(doc, options);
      const { commentString } = ctx.options;
      if (doc.commentBefore) {
        if (lines.length !== 1)
          lines.unshift("");
        const cs = commentString(doc.commentBefore);
        lines.unshift(stringifyComment.indentComment(cs, ""));
      }
      let chompKeep = false;
      let contentComment = null;
      if (doc.contents) {
        if (identity.isNode(doc.contents)) {
          if (doc.contents.spaceBefore && hasDirectives)
            lines.push("");
          if (doc.contents.commentBefore) {
            const cs = commentString(doc.contents.commentBefore);
            lines.push(stringifyComment.indentComment(cs, ""));
          }
          ctx.forceBlockIndent = !!doc.comment;
          contentComment = doc.contents.comment;
        }
        const onChompKeep = contentComment ? void 0 : () => chompKeep = true;
        let body = stringify.stringify(doc.contents, ctx, () => contentComment = null, onChompKeep);
        if (contentComment)
          body += stringifyComment.lineComment(body, "", commentString(contentComment));
        if ((body[0] === "|" || body[0] === ">") && lines[lines.length - 1] === "---") {
          lines[lines.length - 1] = `--- ${body}`;
        } else
          lines.push(body);
      } else {
        lines.push(stringify.stringify(doc.contents, ctx));
      }
      if (doc.directives?.docEnd) {
        if (doc.comment) {
          const cs = commentString(doc.comment);
          if (cs.includes("\n")) {
            lines.push("...");
            lines.push(stringifyComment.indentComment(cs, ""));
          } else {
            lines.push(`... ${cs}`);
          }
        } else {
          lines.push("...");
        }
      } else {
        let dc = doc.comment;
        if (dc && chompKeep)
          dc = dc.replace(/^\n+/, "");
        if (dc) {
          if ((!chompKeep || contentComment) && lines[lines.length - 1] !== "")
            lines.push("");
          lines.push(stringifyComment.indentComment(commentString(dc), ""));
        }
      }
      return lines.join("\n") + "\n";
    }
    exports2.stringifyDocument = stringifyDocument;
  }
});

// node_modules/yaml/dist/doc/Document.js
var require_Document = __commonJS({
  "node_modules/yaml/dist/doc/Document.js"(exports2) {
    "use strict";
    var Alias = require_Alias();
    var Collection = require_Collection();
    var identity = require_identity();
    var Pair = require_Pair();
    var toJS = require_toJS();
    var Schema = require_Schema();
    var stringifyDocument = require_stringifyDocument();
    var anchors = require_anchors();
    var applyReviver = require_applyReviver();
    var createNode = require_createNode();
    var directives = require_directives();
    var Document = class _Document {
      constructor(value, replacer, options) {
        this.commentBefore = null;
        this.comment = null;
        this.errors = [];
        this.warnings = [];
        Object.defineProperty(this, identity.NODE_TYPE, { value: identity.DOC });
        let _replacer = null;
        if (typeof replacer === "function" || Array.isArray(replacer)) {
          _replacer = replacer;
        } else if (options === void 0 && replacer) {
          options = replacer;
          replacer = void 0;
        }
        const opt = Object.assign({
          intAsBigInt: false,
          keepSourceTokens: false,
          logLevel: "warn",
          prettyErrors: true,
          strict: true,
          stringKeys: false,
          uniqueKeys: true,
          version: "1.2"
        }, options);
        this.options = opt;
        let { version: version2 } = opt;
        if (options?._directives) {
          this.directives = options._directives.atDocument();
          if (this.directives.yaml.explicit)
            version2 = this.directives.yaml.version;
        } else
          this.directives = new directives.Directives({ version: version2 });
        this.setSchema(version2, options);
        this.contents = value === void 0 ? null : this.createNode(value, _replacer, options);
      }
      /**
       * Create a deep copy of this Document and its contents.
       *
       * Custom Node values that inherit from `Object` still refer to their original instances.
       */
      clone() {
        const copy = Object.create(_Document.prototype, {
          [identity.NODE_TYPE]: { value: identity.DOC }
        });
        copy.commentBefore = this.commentBefore;
        copy.comment = this.comment;
        copy.errors = this.errors.slice();
        copy.warnings = this.warnings.slice();
        copy.options = Object.assign({}, this.options);
        if (this.directives)
          copy.directives = this.directives.clone();
        copy.schema = this.schema.clone();
        copy.contents = identity.isNode(this.contents) ? this.contents.clone(copy.schema) : this.contents;
        if (this.range)
          copy.range = this.range.slice();
        return copy;
      }
      /** Adds a value to the document. */
      add(value) {
        if (assertCollection(this.contents))
          this.contents.add(value);
      }
      /** Adds a value to the document. */
      addIn(path, value) {
        if (assertCollection(this.contents))
          this.contents.addIn(path, value);
      }
      /**
       * Create a new `Alias` node, ensuring that the target `node` has the required anchor.
       *
       * If `node` already has an anchor, `name` is ignored.
       * Otherwise, the `node.anchor` value will be set to `name`,
       * or if an anchor with that name is already present in the document,
       * `name` will be used as a prefix for a new unique anchor.
       * If `name` is undefined, the generated anchor will use 'a' as a prefix.
       */
      createAlias(node, name) {
        if (!node.anchor) {
          const prev = anchors.anchorNames(this);
          node.anchor = // eslint-disable-next-line @typescript-eslint/prefer-nullish-coalescing
          !name || prev.has(name) ? anchors.findNewAnchor(name || "a", prev) : name;
        }
        return new Alias.Alias(node.anchor);
      }
      createNode(value, replacer, options) {
        let _replacer = void 0;
        if (typeof replacer === "function") {
          value = replacer.call({ "": value }, "", value);
          _replacer = replacer;
        } else if (Array.isArray(replacer)) {
          const keyToStr = (v) => typeof v === "number" || v instanceof String || v instanceof Number;
          const asStr = replacer.filter(keyToStr).map(String);
          if (asStr.length > 0)
            replacer = replacer.concat(asStr);
          _replacer = replacer;
        } else if (options === void 0 && replacer) {
          options = replacer;
          replacer = void 0;
        }
        const { aliasDuplicateObjects, anchorPrefix, flow, keepUndefined, onTagObj, tag } = options ?? {};
        const { onAnchor, setAnchors, sourceObjects } = anchors.createNodeAnchors(
          this,
          // eslint-disable-next-line @typescript-eslint/prefer-nullish-coalescing
          anchorPrefix || "a"
        );
        const ctx = {
          aliasDuplicateObjects: aliasDuplicateObjects ?? true,
          keepUndefined: keepUndefined ?? false,
          onAnchor,
          onTagObj,
          replacer: _replacer,
          schema: this.schema,
          sourceObjects
        };
        const node = createNode.createNode(value, tag, ctx);
        if (flow && identity.isCollection(node))
          node.flow = true;
        setAnchors();
        return node;
      }
      /**
       * Convert a key and a value into a `Pair` using the current schema,
       * recursively wrapping all values as `Scalar` or `Collection` nodes.
       */
      createPair(key, value, options = {}) {
        const k = this.createNode(key, null, options);
        const v = this.createNode(value, null, options);
        return new Pair.Pair(k, v);
      }
      /**
       * Removes a value from the document.
       * @returns `true` if the item was found and removed.
       */
      delete(key) {
        return assertCollection(this.contents) ? this.contents.delete(key) : false;
      }
      /**
       * Removes a value from the document.
       * @returns `true` if the item was found and removed.
       */
      deleteIn(path) {
        if (Collection.isEmptyPath(path)) {
          if (this.contents == null)
            return false;
          this.contents = null;
          return true;
        }
        return assertCollection(this.contents) ? this.contents.deleteIn(path) : false;
      }
      /**
       * Returns item at `key`, or `undefined` if not found. By default unwraps
       * scalar values from their surrounding node; to disable set `keepScalar` to
       * `true` (collections are always returned intact).
       */
      get(key, keepScalar) {
        return identity.isCollection(this.contents) ? this.contents.get(key, keepScalar) : void 0;
      }
      /**
       * Returns item at `path`, or `undefined` if not found. By default unwraps
       * scalar values from their surrounding node; to disable set `keepScalar` to
       * `true` (collections are always returned intact).
       */
      getIn(path, keepScalar) {
        if (Collection.isEmptyPath(path))
          return !keepScalar && identity.isScalar(this.contents) ? this.contents.value : this.contents;
        return identity.isCollection(this.contents) ? this.contents.getIn(path, keepScalar) : void 0;
      }
      /**
       * Checks if the document includes a value with the key `key`.
       */
      has(key) {
        return identity.isCollection(this.contents) ? this.contents.has(key) : false;
      }
      /**
       * Checks if the document includes a value at `path`.
       */
      hasIn(path) {
        if (Collection.isEmptyPath(path))
          return this.contents !== void 0;
        return identity.isCollection(this.contents) ? this.contents.hasIn(path) : false;
      }
      /**
       * Sets a value in this document. For `!!set`, `value` needs to be a
       * boolean to add/remove the item from the set.
       */
      set(key, value) {
        if (this.contents == null) {
          this.contents = Collection.collectionFromPath(this.schema, [key], value);
        } else if (assertCollection(this.contents)) {
          this.contents.set(key, value);
        }
      }
      /**
       * Sets a value in this document. For `!!set`, `value` needs to be a
       * boolean to add/remove the item from the set.
       */
      setIn(path, value) {
        if (Collection.isEmptyPath(path)) {
          this.contents = value;
        } else if (this.contents == null) {
          this.contents = Collection.collectionFromPath(this.schema, Array.from(path), value);
        } else if (assertCollection(this.contents)) {
          this.contents.setIn(path, value);
        }
      }
      /**
       * Change the YAML version and schema used by the document.
       * A `null` version disables support for directives, explicit tags, anchors, and aliases.
       * It also requires the `schema` option to be given as a `Schema` instance value.
       *
       * Overrides all previously set schema options.
       */
      setSchema(version2, options = {}) {
        if (typeof version2 === "number")
          version2 = String(version2);
        let opt;
        switch (version2) {
          case "1.1":
            if (this.directives)
              this.directives.yaml.version = "1.1";
            else
              this.directives = new directives.Directives({ version: "1.1" });
            opt = { resolveKnownTags: false, schema: "yaml-1.1" };
            break;
          case "1.2":
          case "next":
            if (this.directives)
              this.directives.yaml.version = version2;
            else
              this.directives = new directives.Directives({ version: version2 });
            opt = { resolveKnownTags: true, schema: "core" };
            break;
          case null:
            if (this.directives)
              delete this.directives;
            opt = null;
            break;
          default: {
            const sv = JSON.stringify(version2);
            throw new Error(`Expected '1.1', '1.2' or null as first argument, but found: ${sv}`);
          }
        }
        if (options.schema instanceof Object)
          this.schema = options.schema;
        else if (opt)
          this.schema = new Schema.Schema(Object.assign(opt, options));
        else
          throw new Error(`With a null YAML version, the { schema: Schema } option is required`);
      }
      // json & jsonArg are only used from toJSON()
      toJS({ json, jsonArg, mapAsMap, maxAliasCount, onAnchor, reviver } = {}) {
        const ctx = {
          anchors: /* @__PURE__ */ new Map(),
          doc: this,
          keep: !json,
          mapAsMap: mapAsMap === true,
          mapKeyWarned: false,
          maxAliasCount: typeof maxAliasCount === "number" ? maxAliasCount : 100
        };
        const res = toJS.toJS(this.contents, jsonArg ?? "", ctx);
        if (typeof onAnchor === "function")
          for (const { count, res: res2 } of ctx.anchors.values())
            onAnchor(res2, count);
        return typeof reviver === "function" ? applyReviver.applyReviver(reviver, { "": res }, "", res) : res;
      }
      /**
       * A JSON representation of the document `contents`.
       *
       * @param jsonArg Used by `JSON.stringify` to indicate the array index or
       *   property name.
       */
      toJSON(jsonArg, onAnchor) {
        return this.toJS({ json: true, jsonArg, mapAsMap: false, onAnchor });
      }
      /** A YAML representation of the document. */
      toString(options = {}) {
        if (this.errors.length > 0)
          throw new Error("Document with errors cannot be stringified");
        if ("indent" in options && (!Number.isInteger(options.indent) || Number(options.indent) <= 0)) {
          const s = JSON.stringify(options.indent);
          throw new Error(`"indent" option must be a positive integer, not ${s}`);
        }
        return stringifyDocument.stringifyDocument(this, options);
      }
    };
    function assertCollection(contents) {
      if (identity.isCollection(contents))
        return true;
      throw new Error("Expected a YAML collection as document contents");
    }
    exports2.Document = Document;
  }
});

// node_modules/yaml/dist/errors.js
var require_errors = __commonJS({
  "node_modules/yaml/dist/errors.js"(exports2) {
    "use strict";
    var YAMLError = class extends Error {
      constructor(name, pos, code, message) {
        super();
        this.name = name;
        this.code = code;
        this.message = message;
        this.pos = pos;
      }
    };
    var YAMLParseError = class extends YAMLError {
      constructor(pos, code, message) {
        super("YAMLParseError", pos, code, message);
      }
    };
    var YAMLWarning = class extends YAMLError {
      constructor(pos, code, message) {
        super("YAMLWarning", pos, code, message);
      }
    };
    var prettifyError = (src, lc) => (error) => {
      if (error.pos[0] === -1)
        return;
      error.linePos = error.pos.map((pos) => lc.linePos(pos));
      const { line: line2, col } = error.linePos[0];
      error.message += ` at line ${line2}, column ${col}`;
      let ci = col - 1;
      let lineStr = src.substring(lc.lineStarts[line2 - 1], lc.lineStarts[line2]).replace(/[\n\r]+$/, "");
      if (ci >= 60 && lineStr.length > 80) {
        const trimStart = Math.min(ci - 39, lineStr.length - 79);
        lineStr = "\u2026" + lineStr.substring(trimStart);
        ci -= trimStart - 1;
      }
      if (lineStr.length > 80)
        lineStr = lineStr.substring(0, 79) + "\u2026";
      if (line2 > 1 && /^ *$/.test(lineStr.substring(0, ci))) {
        let prev = src.substring(lc.lineStarts[line2 - 2], lc.lineStarts[line2 - 1]);
        if (prev.length > 80)
          prev = prev.substring(0, 79) + "\u2026\n";
        lineStr = prev + lineStr;
      }
      if (/[^ ]/.test(lineStr)) {
        let count = 1;
        const end = error.linePos[1];
        if (end?.line === line2 && end.col > col) {
          count = Math.max(1, Math.min(end.col - col, 80 - ci));
        }
        const pointer = " ".repeat(ci) + "^".repeat(count);
        error.message += `:

${lineStr}
${pointer}
`;
      }
    };
    exports2.YAMLError = YAMLError;
    exports2.YAMLParseError = YAMLParseError;
    exports2.YAMLWarning = YAMLWarning;
    exports2.prettifyError = prettifyError;
  }
});

// node_modules/yaml/dist/compose/resolve-props.js
var require_resolve_props = __commonJS({
  "node_modules/yaml/dist/compose/resolve-props.js"(exports2) {
    "use strict";
    function resolveProps(tokens, { flow, indicator, next, offset, onError, parentIndent, startOnNewline }) {
      let spaceBefore = false;
      let atNewline = startOnNewline;
      let hasSpace = startOnNewline;
      let comment = "";
      let commentSep = "";
      let hasNewline = false;
      let reqSpace = false;
      let tab = null;
      let anchor = null;
      let tag = null;
      let newlineAfterProp = null;
      let comma = null;
      let found = null;
      let start = null;
      for (const token of tokens) {
        if (reqSpace) {
          if (token.type !== "space" && token.type !== "newline" && token.type !== "comma")
            onError(token.offset, "MISSING_CHAR", "Tags and anchors must be separated from the next token by white space");
          reqSpace = false;
        }
        if (tab) {
          if (atNewline && token.type !== "comment" && token.type !== "newline") {
            onError(tab, "TAB_AS_INDENT", "Tabs are not allowed as indentation");
          }
          tab = null;
        }
        switch (token.type) {
          case "space":
            if (!flow && (indicator !== "doc-start" || next?.type !== "flow-collection") && token.source.includes("	")) {
              tab = token;
            }
            hasSpace = true;
            break;
          case "comment": {
            if (!hasSpace)
              onError(token, "MISSING_CHAR", "Comments must be separated from other tokens by white space characters");
            const cb = token.source.substring(1) || " ";
            if (!comment)
              comment = cb;
            else
              comment += commentSep + cb;
            commentSep = "";
            atNewline = false;
            break;
          }
          case "newline":
            if (atNewline) {
              if (comment)
                comment += token.source;
              else if (!found || indicator !== "seq-item-ind")
                spaceBefore = true;
            } else
              commentSep += token.source;
            atNewline = true;
            hasNewline = true;
            if (anchor || tag)
              newlineAfterProp = token;
            hasSpace = true;
            break;
          case "anchor":
            if (anchor)
              onError(token, "MULTIPLE_ANCHORS", "A node can have at most one anchor");
            if (token.source.endsWith(":"))
              onError(token.offset + token.source.length - 1, "BAD_ALIAS", "Anchor ending in : is ambiguous", true);
            anchor = token;
            start ?? (start = token.offset);
            atNewline = false;
            hasSpace = false;
            reqSpace = true;
            break;
          case "tag": {
            if (tag)
              onError(token, "MULTIPLE_TAGS", "A node can have at most one tag");
            tag = token;
            start ?? (start = token.offset);
            atNewline = false;
            hasSpace = false;
            reqSpace = true;
            break;
          }
          case indicator:
            if (anchor || tag)
              onError(token, "BAD_PROP_ORDER", `Anchors and tags must be after the ${token.source} indicator`);
            if (found)
              onError(token, "UNEXPECTED_TOKEN", `Unexpected ${token.source} in ${flow ?? "collection"}`);
            found = token;
            atNewline = indicator === "seq-item-ind" || indicator === "explicit-key-ind";
            hasSpace = false;
            break;
          case "comma":
            if (flow) {
              if (comma)
                onError(token, "UNEXPECTED_TOKEN", `Unexpected , in ${flow}`);
              comma = token;
              atNewline = false;
              hasSpace = false;
              break;
            }
          // else fallthrough
          default:
            onError(token, "UNEXPECTED_TOKEN", `Unexpected ${token.type} token`);
            atNewline = false;
            hasSpace = false;
        }
      }
      const last = tokens[tokens.length - 1];
      const end = last ? last.offset + last.source.length : offset;
      if (reqSpace && next && next.type !== "space" && next.type !== "newline" && next.type !== "comma" && (next.type !== "scalar" || next.source !== "")) {
        onError(next.offset, "MISSING_CHAR", "Tags and anchors must be separated from the next token by white space");
      }
      if (tab && (atNewline && tab.indent <= parentIndent || next?.type === "block-map" || next?.type === "block-seq"))
        onError(tab, "TAB_AS_INDENT", "Tabs are not allowed as indentation");
      return {
        comma,
        found,
        spaceBefore,
        comment,
        hasNewline,
        anchor,
        tag,
        newlineAfterProp,
        end,
        start: start ?? end
      };
    }
    exports2.resolveProps = resolveProps;
  }
});

// node_modules/yaml/dist/compose/util-contains-newline.js
var require_util_contains_newline = __commonJS({
  "node_modules/yaml/dist/compose/util-contains-newline.js"(exports2) {
    "use strict";
    function containsNewline(key) {
      if (!key)
        return null;
      switch (key.type) {
        case "alias":
        case "scalar":
        case "double-quoted-scalar":
        case "single-quoted-scalar":
          if (key.source.includes("\n"))
            return true;
          if (key.end) {
            for (const st of key.end)
              if (st.type === "newline")
                return true;
          }
          return false;
        case "flow-collection":
          for (const it of key.items) {
            for (const st of it.start)
              if (st.type === "newline")
                return true;
            if (it.sep) {
              for (const st of it.sep)
                if (st.type === "newline")
                  return true;
            }
            if (containsNewline(it.key) || containsNewline(it.value))
              return true;
          }
          return false;
        default:
          return true;
      }
    }
    exports2.containsNewline = containsNewline;
  }
});

// node_modules/yaml/dist/compose/util-flow-indent-check.js
var require_util_flow_indent_check = __commonJS({
  "node_modules/yaml/dist/compose/util-flow-indent-check.js"(exports2) {
    "use strict";
    var utilContainsNewline = require_util_contains_newline();
    function flowIndentCheck(indent, fc, onError) {
      if (fc?.type === "flow-collection") {
        const end = fc.end[0];
        if (end.indent === indent && (end.source === "]" || end.source === "}") && utilContainsNewline.containsNewline(fc)) {
          const msg = "Flow end indicator should be more indented than parent";
          onError(end, "BAD_INDENT", msg, true);
        }
      }
    }
    exports2.flowIndentCheck = flowIndentCheck;
  }
});

// node_modules/yaml/dist/compose/util-map-includes.js
var require_util_map_includes = __commonJS({
  "node_modules/yaml/dist/compose/util-map-includes.js"(exports2) {
    "use strict";
    var identity = require_identity();
    function mapIncludes(ctx, items, search) {
      const { uniqueKeys } = ctx.options;
      if (uniqueKeys === false)
        return false;
      const isEqual = typeof uniqueKeys === "function" ? uniqueKeys : (a, b) => a === b || identity.isScalar(a) && identity.isScalar(b) && a.value === b.value;
      return items.some((pair) => isEqual(pair.key, search));
    }
    exports2.mapIncludes = mapIncludes;
  }
});

// node_modules/yaml/dist/compose/resolve-block-map.js
var require_resolve_block_map = __commonJS({
  "node_modules/yaml/dist/compose/resolve-block-map.js"(exports2) {
    "use strict";
    var Pair = require_Pair();
    var YAMLMap = require_YAMLMap();
    var resolveProps = require_resolve_props();
    var utilContainsNewline = require_util_contains_newline();
    var utilFlowIndentCheck = require_util_flow_indent_check();
    var utilMapIncludes = require_util_map_includes();
    var startColMsg = "All mapping items must start at the same column";
    function resolveBlockMap({ composeNode, composeEmptyNode }, ctx, bm, onError, tag) {
      const NodeClass = tag?.nodeClass ?? YAMLMap.YAMLMap;
      const map = new NodeClass(ctx.schema);
      if (ctx.atRoot)
        ctx.atRoot = false;
      let offset = bm.offset;
      let commentEnd = null;
      for (const collItem of bm.items) {
        const { start, key, sep, value } = collItem;
        const keyProps = resolveProps.resolveProps(start, {
          indicator: "explicit-key-ind",
          next: key ?? sep?.[0],
          offset,
          onError,
          parentIndent: bm.indent,
          startOnNewline: true
        });
        const implicitKey = !keyProps.found;
        if (implicitKey) {
          if (key) {
            if (key.type === "block-seq")
              onError(offset, "BLOCK_AS_IMPLICIT_KEY", "A block sequence may not be used as an implicit map key");
            else if ("indent" in key && key.indent !== bm.indent)
              onError(offset, "BAD_INDENT", startColMsg);
          }
          if (!keyProps.anchor && !keyProps.tag && !sep) {
            commentEnd = keyProps.end;
            if (keyProps.comment) {
              if (map.comment)
                map.comment += "\n" + keyProps.comment;
              else
                map.comment = keyProps.comment;
            }
            continue;
          }
          if (keyProps.newlineAfterProp || utilContainsNewline.containsNewline(key)) {
            onError(key ?? start[start.length - 1], "MULTILINE_IMPLICIT_KEY", "Implicit keys need to be on a single line");
          }
        } else if (keyProps.found?.indent !== bm.indent) {
          onError(offset, "BAD_INDENT", startColMsg);
        }
        ctx.atKey = true;
        const keyStart = keyProps.end;
        const keyNode = key ? composeNode(ctx, key, keyProps, onError) : composeEmptyNode(ctx, keyStart, start, null, keyProps, onError);
        if (ctx.schema.compat)
          utilFlowIndentCheck.flowIndentCheck(bm.indent, key, onError);
        ctx.atKey = false;
        if (utilMapIncludes.mapIncludes(ctx, map.items, keyNode))
          onError(keyStart, "DUPLICATE_KEY", "Map keys must be unique");
        const valueProps = resolveProps.resolveProps(sep ?? [], {
          indicator: "map-value-ind",
          next: value,
          offset: keyNode.range[2],
          onError,
          parentIndent: bm.indent,
          startOnNewline: !key || key.type === "block-scalar"
        });
        offset = valueProps.end;
        if (valueProps.found) {
          if (implicitKey) {
            if (value?.type === "block-map" && !valueProps.hasNewline)
              onError(offset, "BLOCK_AS_IMPLICIT_KEY", "Nested mappings are not allowed in compact mappings");
            if (ctx.options.strict && keyProps.start < valueProps.found.offset - 1024)
              onError(keyNode.range, "KEY_OVER_1024_CHARS", "The : indicator must be at most 1024 chars after the start of an implicit block mapping key");
          }
          const valueNode = value ? composeNode(ctx, value, valueProps, onError) : composeEmptyNode(ctx, offset, sep, null, valueProps, onError);
          if (ctx.schema.compat)
            utilFlowIndentCheck.flowIndentCheck(bm.indent, value, onError);
          offset = valueNode.range[2];
          const pair = new Pair.Pair(keyNode, valueNode);
          if (ctx.options.keepSourceTokens)
            pair.srcToken = collItem;
          map.items.push(pair);
        } else {
          if (implicitKey)
            onError(keyNode.range, "MISSING_CHAR", "Implicit map keys need to be followed by map values");
          if (valueProps.comment) {
            if (keyNode.comment)
              keyNode.comment += "\n" + valueProps.comment;
            else
              keyNode.comment = valueProps.comment;
          }
          const pair = new Pair.Pair(keyNode);
          if (ctx.options.keepSourceTokens)
            pair.srcToken = collItem;
          map.items.push(pair);
        }
      }
      if (commentEnd && commentEnd < offset)
        onError(commentEnd, "IMPOSSIBLE", "Map comment with trailing content");
      map.range = [bm.offset, offset, commentEnd ?? offset];
      return map;
    }
    exports2.resolveBlockMap = resolveBlockMap;
  }
});

// node_modules/yaml/dist/compose/resolve-block-seq.js
var require_resolve_block_seq = __commonJS({
  "node_modules/yaml/dist/compose/resolve-block-seq.js"(exports2) {
    "use strict";
    var YAMLSeq = require_YAMLSeq();
    var resolveProps = require_resolve_props();
    var utilFlowIndentCheck = require_util_flow_indent_check();
    function resolveBlockSeq({ composeNode, composeEmptyNode }, ctx, bs, onError, tag) {
      const NodeClass = tag?.nodeClass ?? YAMLSeq.YAMLSeq;
      const seq = new NodeClass(ctx.schema);
      if (ctx.atRoot)
        ctx.atRoot = false;
      if (ctx.atKey)
        ctx.atKey = false;
      let offset = bs.offset;
      let commentEnd = null;
      for (const { start, value } of bs.items) {
        const props = resolveProps.resolveProps(start, {
          indicator: "seq-item-ind",
          next: value,
          offset,
          onError,
          parentIndent: bs.indent,
          startOnNewline: true
        });
        if (!props.found) {
          if (props.anchor || props.tag || value) {
            if (value?.type === "block-seq")
              onError(props.end, "BAD_INDENT", "All sequence items must start at the same column");
            else
              onError(offset, "MISSING_CHAR", "Sequence item without - indicator");
          } else {
            commentEnd = props.end;
            if (props.comment)
              seq.comment = props.comment;
            continue;
          }
        }
        const node = value ? composeNode(ctx, value, props, onError) : composeEmptyNode(ctx, props.end, start, null, props, onError);
        if (ctx.schema.compat)
          utilFlowIndentCheck.flowIndentCheck(bs.indent, value, onError);
        offset = node.range[2];
        seq.items.push(node);
      }
      seq.range = [bs.offset, offset, commentEnd ?? offset];
      return seq;
    }
    exports2.resolveBlockSeq = resolveBlockSeq;
  }
});

// node_modules/yaml/dist/compose/resolve-end.js
var require_resolve_end = __commonJS({
  "node_modules/yaml/dist/compose/resolve-end.js"(exports2) {
    "use strict";
    function resolveEnd(end, offset, reqSpace, onError) {
      let comment = "";
      if (end) {
        let hasSpace = false;
        let sep = "";
        for (const token of end) {
          const { source, type } = token;
          switch (type) {
            case "space":
              hasSpace = true;
              break;
            case "comment": {
              if (reqSpace && !hasSpace)
                onError(token, "MISSING_CHAR", "Comments must be separated from other tokens by white space characters");
              const cb = source.substring(1) || " ";
              if (!comment)
                comment = cb;
              else
                comment += sep + cb;
              sep = "";
              break;
            }
            case "newline":
              if (comment)
                sep += source;
              hasSpace = true;
              break;
            default:
              onError(token, "UNEXPECTED_TOKEN", `Unexpected ${type} at node end`);
          }
          offset += source.length;
        }
      }
      return { comment, offset };
    }
    exports2.resolveEnd = resolveEnd;
  }
});

// node_modules/yaml/dist/compose/resolve-flow-collection.js
var require_resolve_flow_collection = __commonJS({
  "node_modules/yaml/dist/compose/resolve-flow-collection.js"(exports2) {
    "use strict";
    var identity = require_identity();
    var Pair = require_Pair();
    var YAMLMap = require_YAMLMap();
    var YAMLSeq = require_YAMLSeq();
    var resolveEnd = require_resolve_end();
    var resolveProps = require_resolve_props();
    var utilContainsNewline = require_util_contains_newline();
    var utilMapIncludes = require_util_map_includes();
    var blockMsg = "Block collections are not allowed within flow collections";
    var isBlock = (token) => token && (token.type === "block-map" || token.type === "block-seq");
    function resolveFlowCollection({ composeNode, composeEmptyNode }, ctx, fc, onError, tag) {
      const isMap = fc.start.source === "{";
      const fcName = isMap ? "flow map" : "flow sequence";
      const NodeClass = tag?.nodeClass ?? (isMap ? YAMLMap.YAMLMap : YAMLSeq.YAMLSeq);
      const coll = new NodeClass(ctx.schema);
      coll.flow = true;
      const atRoot = ctx.atRoot;
      if (atRoot)
        ctx.atRoot = false;
      if (ctx.atKey)
        ctx.atKey = false;
      let offset = fc.offset + fc.start.source.length;
      for (let i = 0; i < fc.items.length; ++i) {
        const collItem = fc.items[i];
        const { start, key, sep, value } = collItem;
        const props = resolveProps.resolveProps(start, {
          flow: fcName,
          indicator: "explicit-key-ind",
          next: key ?? sep?.[0],
          offset,
          onError,
          parentIndent: fc.indent,
          startOnNewline: false
        });
        if (!props.found) {
          if (!props.anchor && !props.tag && !sep && !value) {
            if (i === 0 && props.comma)
              onError(props.comma, "UNEXPECTED_TOKEN", `Unexpected , in ${fcName}`);
            else if (i < fc.items.length - 1)
              onError(props.start, "UNEXPECTED_TOKEN", `Unexpected empty item in ${fcName}`);
            if (props.comment) {
              if (coll.comment)
                coll.comment += "\n" + props.comment;
              else
                coll.comment = props.comment;
            }
            offset = props.end;
            continue;
          }
          if (!isMap && ctx.options.strict && utilContainsNewline.containsNewline(key))
            onError(
              key,
              // checked by containsNewline()
              "MULTILINE_IMPLICIT_KEY",
              "Implicit keys of flow sequence pairs need to be on a single line"
            );
        }
        if (i === 0) {
          if (props.comma)
            onError(props.comma, "UNEXPECTED_TOKEN", `Unexpected , in ${fcName}`);
        } else {
          if (!props.comma)
            onError(props.start, "MISSING_CHAR", `Missing , between ${fcName} items`);
          if (props.comment) {
            let prevItemComment = "";
            loop: for (const st of start) {
              switch (st.type) {
                case "comma":
                case "space":
                  break;
                case "comment":
                  prevItemComment = st.source.substring(1);
                  break loop;
                default:
                  break loop;
              }
            }
            if (prevItemComment) {
              let prev = coll.items[coll.items.length - 1];
              if (identity.isPair(prev))
                prev = prev.value ?? prev.key;
              if (prev.comment)
                prev.comment += "\n" + prevItemComment;
              else
                prev.comment = prevItemComment;
              props.comment = props.comment.substring(prevItemComment.length + 1);
            }
          }
        }
        if (!isMap && !sep && !props.found) {
          const valueNode = value ? composeNode(ctx, value, props, onError) : composeEmptyNode(ctx, props.end, sep, null, props, onError);
          coll.items.push(valueNode);
          offset = valueNode.range[2];
          if (isBlock(value))
            onError(valueNode.range, "BLOCK_IN_FLOW", blockMsg);
        } else {
          ctx.atKey = true;
          const keyStart = props.end;
          const keyNode = key ? composeNode(ctx, key, props, onError) : composeEmptyNode(ctx, keyStart, start, null, props, onError);
          if (isBlock(key))
            onError(keyNode.range, "BLOCK_IN_FLOW", blockMsg);
          ctx.atKey = false;
          const valueProps = resolveProps.resolveProps(sep ?? [], {
            flow: fcName,
            indicator: "map-value-ind",
            next: value,
            offset: keyNode.range[2],
            onError,
            parentIndent: fc.indent,
            startOnNewline: false
          });
          if (valueProps.found) {
            if (!isMap && !props.found && ctx.options.strict) {
              if (sep)
                for (const st of sep) {
                  if (st === valueProps.found)
                    break;
                  if (st.type === "newline") {
                    onError(st, "MULTILINE_IMPLICIT_KEY", "Implicit keys of flow sequence pairs need to be on a single line");
                    break;
                  }
                }
              if (props.start < valueProps.found.offset - 1024)
                onError(valueProps.found, "KEY_OVER_1024_CHARS", "The : indicator must be at most 1024 chars after the start of an implicit flow sequence key");
            }
          } else if (value) {
            if ("source" in value && value.source?.[0] === ":")
              onError(value, "MISSING_CHAR", `Missing space after : in ${fcName}`);
            else
              onError(valueProps.start, "MISSING_CHAR", `Missing , or : between ${fcName} items`);
          }
          const valueNode = value ? composeNode(ctx, value, valueProps, onError) : valueProps.found ? composeEmptyNode(ctx, valueProps.end, sep, null, valueProps, onError) : null;
          if (valueNode) {
            if (isBlock(value))
              onError(valueNode.range, "BLOCK_IN_FLOW", blockMsg);
          } else if (valueProps.comment) {
            if (keyNode.comment)
              keyNode.comment += "\n" + valueProps.comment;
            else
              keyNode.comment = valueProps.comment;
          }
          const pair = new Pair.Pair(keyNode, valueNode);
          if (ctx.options.keepSourceTokens)
            pair.srcToken = collItem;
          if (isMap) {
            const map = coll;
            if (utilMapIncludes.mapIncludes(ctx, map.items, keyNode))
              onError(keyStart, "DUPLICATE_KEY", "Map keys must be unique");
            map.items.push(pair);
          } else {
            const map = new YAMLMap.YAMLMap(ctx.schema);
            map.flow = true;
            map.items.push(pair);
            const endRange = (valueNode ?? keyNode).range;
            map.range = [keyNode.range[0], endRange[1], endRange[2]];
            coll.items.push(map);
          }
          offset = valueNode ? valueNode.range[2] : valueProps.end;
        }
      }
      const expectedEnd = isMap ? "}" : "]";
      const [ce, ...ee] = fc.end;
      let cePos = offset;
      if (ce?.source === expectedEnd)
        cePos = ce.offset + ce.source.length;
      else {
        const name = fcName[0].toUpperCase() + fcName.substring(1);
        const msg = atRoot ? `${name} must end with a ${expectedEnd}` : `${name} in block collection must be sufficiently indented and end with a ${expectedEnd}`;
        onError(offset, atRoot ? "MISSING_CHAR" : "BAD_INDENT", msg);
        if (ce && ce.source.length !== 1)
          ee.unshift(ce);
      }
      if (ee.length > 0) {
        const end = resolveEnd.resolveEnd(ee, cePos, ctx.options.strict, onError);
        if (end.comment) {
          if (coll.comment)
            coll.comment += "\n" + end.comment;
          else
            coll.comment = end.comment;
        }
        coll.range = [fc.offset, cePos, end.offset];
      } else {
        coll.range = [fc.offset, cePos, cePos];
      }
      return coll;
    }
    exports2.resolveFlowCollection = resolveFlowCollection;
  }
});

// node_modules/yaml/dist/compose/compose-collection.js
var require_compose_collection = __commonJS({
  "node_modules/yaml/dist/compose/compose-collection.js"(exports2) {
    "use strict";
    var identity = require_identity();
    var Scalar = require_Scalar();
    var YAMLMap = require_YAMLMap();
    var YAMLSeq = require_YAMLSeq();
    var resolveBlockMap = require_resolve_block_map();
    var resolveBlockSeq = require_resolve_block_seq();
    var resolveFlowCollection = require_resolve_flow_collection();
    function resolveCollection(CN, ctx, token, onError, tagName, tag) {
      const coll = token.type === "block-map" ? resolveBlockMap.resolveBlockMap(CN, ctx, token, onError, tag) : token.type === "block-seq" ? resolveBlockSeq.resolveBlockSeq(CN, ctx, token, onError, tag) : resolveFlowCollection.resolveFlowCollection(CN, ctx, token, onError, tag);
      const Coll = coll.constructor;
      if (tagName === "!" || tagName === Coll.tagName) {
        coll.tag = Coll.tagName;
        return coll;
      }
      if (tagName)
        coll.tag = tagName;
      return coll;
    }
    function composeCollection(CN, ctx, token, props, onError) {
      const tagToken = props.tag;
      const tagName = !tagToken ? null : ctx.directives.tagName(tagToken.source, (msg) => onError(tagToken, "TAG_RESOLVE_FAILED", msg));
      if (token.type === "block-seq") {
        const { anchor, newlineAfterProp: nl } = props;
        const lastProp = anchor && tagToken ? anchor.offset > tagToken.offset ? anchor : tagToken : anchor ?? tagToken;
        if (lastProp && (!nl || nl.offset < lastProp.offset)) {
          const message = "Missing newline after block sequence props";
          onError(lastProp, "MISSING_CHAR", message);
        }
      }
      const expType = token.type === "block-map" ? "map" : token.type === "block-seq" ? "seq" : token.start.source === "{" ? "map" : "seq";
      if (!tagToken || !tagName || tagName === "!" || tagName === YAMLMap.YAMLMap.tagName && expType === "map" || tagName === YAMLSeq.YAMLSeq.tagName && expType === "seq") {
        return resolveCollection(CN, ctx, token, onError, tagName);
      }
      let tag = ctx.schema.tags.find((t) => t.tag === tagName && t.collection === expType);
      if (!tag) {
        const kt = ctx.schema.knownTags[tagName];
        if (kt?.collection === expType) {
          ctx.schema.tags.push(Object.assign({}, kt, { default: false }));
          tag = kt;
        } else {
          if (kt) {
            onError(tagToken, "BAD_COLLECTION_TYPE", `${kt.tag} used for ${expType} collection, but expects ${kt.collection ?? "scalar"}`, true);
          } else {
            onError(tagToken, "TAG_RESOLVE_FAILED", `Unresolved tag: ${tagName}`, true);
          }
          return resolveCollection(CN, ctx, token, onError, tagName);
        }
      }
      const coll = resolveCollection(CN, ctx, token, onError, tagName, tag);
      const res = tag.resolve?.(coll, (msg) => onError(tagToken, "TAG_RESOLVE_FAILED", msg), ctx.options) ?? coll;
      const node = identity.isNode(res) ? res : new Scalar.Scalar(res);
      node.range = coll.range;
      node.tag = tagName;
      if (tag?.format)
        node.format = tag.format;
      return node;
    }
    exports2.composeCollection = composeCollection;
  }
});

// node_modules/yaml/dist/compose/resolve-block-scalar.js
var require_resolve_block_scalar = __commonJS({
  "node_modules/yaml/dist/compose/resolve-block-scalar.js"(exports2) {
    "use strict";
    var Scalar = require_Scalar();
    function resolveBlockScalar(ctx, scalar, onError) {
      const start = scalar.offset;
      const header = parseBlockScalarHeader(scalar, ctx.options.strict, onError);
      if (!header)
        return { value: "", type: null, comment: "", range: [start, start, start] };
      const type = header.mode === ">" ? Scalar.Scalar.BLOCK_FOLDED : Scalar.Scalar.BLOCK_LITERAL;
      const lines = scalar.source ? splitLines(scalar.source) : [];
      let chompStart = lines.length;
      for (let i = lines.length - 1; i >= 0; --i) {
        const content = lines[i][1];
        if (content === "" || content === "\r")
          chompStart = i;
        else
          break;
      }
      if (chompStart === 0) {
        const value2 = header.chomp === "+" && lines.length > 0 ? "\n".repeat(Math.max(1, lines.length - 1)) : "";
        let end2 = start + header.length;
        if (scalar.source)
          end2 += scalar.source.length;
        return { value: value2, type, comment: header.comment, range: [start, end2, end2] };
      }
      let trimIndent = scalar.indent + header.indent;
      let offset = scalar.offset + header.length;
      let contentStart = 0;
      for (let i = 0; i < chompStart; ++i) {
        const [indent, content] = lines[i];
        if (content === "" || content === "\r") {
          if (header.indent === 0 && indent.length > trimIndent)
            trimIndent = indent.length;
        } else {
          if (indent.length < trimIndent) {
            const message = "Block scalars with more-indented leading empty lines must use an explicit indentation indicator";
            onError(offset + indent.length, "MISSING_CHAR", message);
          }
          if (header.indent === 0)
            trimIndent = indent.length;
          contentStart = i;
          if (trimIndent === 0 && !ctx.atRoot) {
            const message = "Block scalar values in collections must be indented";
            onError(offset, "BAD_INDENT", message);
          }
          break;
        }
        offset += indent.length + content.length + 1;
      }
      for (let i = lines.length - 1; i >= chompStart; --i) {
        if (lines[i][0].length > trimIndent)
          chompStart = i + 1;
      }
      let value = "";
      let sep = "";
      let prevMoreIndented = false;
      for (let i = 0; i < contentStart; ++i)
        value += lines[i][0].slice(trimIndent) + "\n";
      for (let i = contentStart; i < chompStart; ++i) {
        let [indent, content] = lines[i];
        offset += indent.length + content.length + 1;
        const crlf = content[content.length - 1] === "\r";
        if (crlf)
          content = content.slice(0, -1);
        if (content && indent.length < trimIndent) {
          const src = header.indent ? "explicit indentation indicator" : "first line";
          const message = `Block scalar lines must not be less indented than their ${src}`;
          onError(offset - content.length - (crlf ? 2 : 1), "BAD_INDENT", message);
          indent = "";
        }
        if (type === Scalar.Scalar.BLOCK_LITERAL) {
          value += sep + indent.slice(trimIndent) + content;
          sep = "\n";
        } else if (indent.length > trimIndent || content[0] === "	") {
          if (sep === " ")
            sep = "\n";
          else if (!prevMoreIndented && sep === "\n")
            sep = "\n\n";
          value += sep + indent.slice(trimIndent) + content;
          sep = "\n";
          prevMoreIndented = true;
        } else if (content === "") {
          if (sep === "\n")
            value += "\n";
          else
            sep = "\n";
        } else {
          value += sep + content;
          sep = " ";
          prevMoreIndented = false;
        }
      }
      switch (header.chomp) {
        case "-":
          break;
        case "+":
          for (let i = chompStart; i < lines.length; ++i)
            value += "\n" + lines[i][0].slice(trimIndent);
          if (value[value.length - 1] !== "\n")
            value += "\n";
          break;
        default:
          value += "\n";
      }
      const end = start + header.length + scalar.source.length;
      return { value, type, comment: header.comment, range: [start, end, end] };
    }
    function parseBlockScalarHeader({ offset, props }, strict, onError) {
      if (props[0].type !== "block-scalar-header") {
        onError(props[0], "IMPOSSIBLE", "Block scalar header not found");
        return null;
      }
      const { source } = props[0];
      const mode = source[0];
      let indent = 0;
      let chomp = "";
      let error = -1;
      for (let i = 1; i < source.length; ++i) {
        const ch = source[i];
        if (!chomp && (ch === "-" || ch === "+"))
          chomp = ch;
        else {
          const n2 = Number(ch);
          if (!indent && n2)
            indent = n2;
          else if (error === -1)
            error = offset + i;
        }
      }
      if (error !== -1)
        onError(error, "UNEXPECTED_TOKEN", `Block scalar header includes extra characters: ${source}`);
      let hasSpace = false;
      let comment = "";
      let length = source.length;
      for (let i = 1; i < props.length; ++i) {
        const token = props[i];
        switch (token.type) {
          case "space":
            hasSpace = true;
          // fallthrough
          case "newline":
            length += token.source.length;
            break;
          case "comment":
            if (strict && !hasSpace) {
              const message = "Comments must be separated from other tokens by white space characters";
              onError(token, "MISSING_CHAR", message);
            }
            length += token.source.length;
            comment = token.source.substring(1);
            break;
          case "error":
            onError(token, "UNEXPECTED_TOKEN", token.message);
            length += token.source.length;
            break;
          /* istanbul ignore next should not happen */
          default: {
            const message = `Unexpected token in block scalar header: ${token.type}`;
            onError(token, "UNEXPECTED_TOKEN", message);
            const ts = token.source;
            if (ts && typeof ts === "string")
              length += ts.length;
          }
        }
      }
      return { mode, indent, chomp, comment, length };
    }
    function splitLines(source) {
      const split = source.split(/\n( *)/);
      const first = split[0];
      const m = first.match(/^( *)/);
      const line0 = m?.[1] ? [m[1], first.slice(m[1].length)] : ["", first];
      const lines = [line0];
      for (let i = 1; i < split.length; i += 2)
        lines.push([split[i], split[i + 1]]);
      return lines;
    }
    exports2.resolveBlockScalar = resolveBlockScalar;
  }
});

// node_modules/yaml/dist/compose/resolve-flow-scalar.js
var require_resolve_flow_scalar = __commonJS({
  "node_modules/yaml/dist/compose/resolve-flow-scalar.js"(exports2) {
    "use strict";
    var Scalar = require_Scalar();
    var resolveEnd = require_resolve_end();
    function resolveFlowScalar(scalar, strict, onError) {
      const { offset, type, source, end } = scalar;
      let _type;
      let value;
      const _onError = (rel, code, msg) => onError(offset + rel, code, msg);
      switch (type) {
        case "scalar":
          _type = Scalar.Scalar.PLAIN;
          value = plainValue(source, _onError);
          break;
        case "single-quoted-scalar":
          _type = Scalar.Scalar.QUOTE_SINGLE;
          value = singleQuotedValue(source, _onError);
          break;
        case "double-quoted-scalar":
          _type = Scalar.Scalar.QUOTE_DOUBLE;
          value = doubleQuotedValue(source, _onError);
          break;
        /* istanbul ignore next should not happen */
        default:
          onError(scalar, "UNEXPECTED_TOKEN", `Expected a flow scalar value, but found: ${type}`);
          return {
            value: "",
            type: null,
            comment: "",
            range: [offset, offset + source.length, offset + source.length]
          };
      }
      const valueEnd = offset + source.length;
      const re = resolveEnd.resolveEnd(end, valueEnd, strict, onError);
      return {
        value,
        type: _type,
        comment: re.comment,
        range: [offset, valueEnd, re.offset]
      };
    }
    function plainValue(source, onError) {
      let badChar = "";
      switch (source[0]) {
        /* istanbul ignore next should not happen */
        case "	":
          badChar = "a tab character";
          break;
        case ",":
          badChar = "flow indicator character ,";
          break;
        case "%":
          badChar = "directive indicator character %";
          break;
        case "|":
        case ">": {
          badChar = `block scalar indicator ${source[0]}`;
          break;
        }
        case "@":
        case "`": {
          badChar = `reserved character ${source[0]}`;
          break;
        }
      }
      if (badChar)
        onError(0, "BAD_SCALAR_START", `Plain value cannot start with ${badChar}`);
      return unfoldLines(source);
    }
    function singleQuotedValue(source, onError) {
      if (source[source.length - 1] !== "'" || source.length === 1)
        onError(source.length, "MISSING_CHAR", "Missing closing 'quote");
      return unfoldLines(source.slice(1, -1)).replace(/''/g, "'");
    }
    function unfoldLines(source) {
      const line2 = /(.*?)\r?\n/sy;
      let match = line2.exec(source);
      if (!match)
        return source;
      let trimEnd, trimBoth;
      try {
        trimEnd = new RegExp("(?<![ 	])[ 	]+$");
        trimBoth = new RegExp("^[ 	]+|(?<![ 	])[ 	]+$", "g");
      } catch {
        trimEnd = /[ \t]+$/;
        trimBoth = /^[ \t]+|[ \t]+$/g;
      }
      let res = match[1].replace(trimEnd, "");
      let sep = " ";
      let pos = line2.lastIndex;
      while (match = line2.exec(source)) {
        const lm = match[1].replace(trimBoth, "");
        if (lm === "") {
          if (sep === "\n")
            res += sep;
          else
            sep = "\n";
        } else {
          res += sep + lm;
          sep = " ";
        }
        pos = line2.lastIndex;
      }
      const last = /[ \t]*(.*)/sy;
      last.lastIndex = pos;
      match = last.exec(source);
      return res + sep + (match?.[1] ?? "");
    }
    function doubleQuotedValue(source, onError) {
      let res = "";
      for (let i = 1; i < source.length - 1; ++i) {
        const ch = source[i];
        if (ch === "\r" && source[i + 1] === "\n")
          continue;
        if (ch === "\n") {
          const { fold, offset } = foldNewline(source, i);
          res += fold;
          i = offset;
        } else if (ch === "\\") {
          let next = source[++i];
          const cc = escapeCodes[next];
          if (cc)
            res += cc;
          else if (next === "\n") {
            next = source[i + 1];
            while (next === " " || next === "	")
              next = source[++i + 1];
          } else if (next === "\r" && source[i + 1] === "\n") {
            next = source[++i + 1];
            while (next === " " || next === "	")
              next = source[++i + 1];
          } else if (next === "x" || next === "u" || next === "U") {
            const length = next === "x" ? 2 : next === "u" ? 4 : 8;
            res += parseCharCode(source, i + 1, length, onError);
            i += length;
          } else {
            const raw = source.substr(i - 1, 2);
            onError(i - 1, "BAD_DQ_ESCAPE", `Invalid escape sequence ${raw}`);
            res += raw;
          }
        } else if (ch === " " || ch === "	") {
          const wsStart = i;
          let next = source[i + 1];
          while (next === " " || next === "	")
            next = source[++i + 1];
          if (next !== "\n" && !(next === "\r" && source[i + 2] === "\n"))
            res += i > wsStart ? source.slice(wsStart, i + 1) : ch;
        } else {
          res += ch;
        }
      }
      if (source[source.length - 1] !== '"' || source.length === 1)
        onError(source.length, "MISSING_CHAR", 'Missing closing "quote');
      return res;
    }
    function foldNewline(source, offset) {
      let fold = "";
      let ch = source[offset + 1];
      while (ch === " " || ch === "	" || ch === "\n" || ch === "\r") {
        if (ch === "\r" && source[offset + 2] !== "\n")
          break;
        if (ch === "\n")
          fold += "\n";
        offset += 1;
        ch = source[offset + 1];
      }
      if (!fold)
        fold = " ";
      return { fold, offset };
    }
    var escapeCodes = {
      "0": "\0",
      // null character
      a: "\x07",
      // bell character
      b: "\b",
      // backspace
      e: "\x1B",
      // escape character
      f: "\f",
      // form feed
      n: "\n",
      // line feed
      r: "\r",
      // carriage return
      t: "	",
      // horizontal tab
      v: "\v",
      // vertical tab
      N: "\x85",
      // Unicode next line
      _: "\xA0",
      // Unicode non-breaking space
      L: "\u2028",
      // Unicode line separator
      P: "\u2029",
      // Unicode paragraph separator
      " ": " ",
      '"': '"',
      "/": "/",
      "\\": "\\",
      "	": "	"
    };
    function parseCharCode(source, offset, length, onError) {
      const cc = source.substr(offset, length);
      const ok = cc.length === length && /^[0-9a-fA-F]+$/.test(cc);
      const code = ok ? parseInt(cc, 16) : NaN;
      try {
        return String.fromCodePoint(code);
      } catch {
        const raw = source.substr(offset - 2, length + 2);
        onError(offset - 2, "BAD_DQ_ESCAPE", `Invalid escape sequence ${raw}`);
        return raw;
      }
    }
    exports2.resolveFlowScalar = resolveFlowScalar;
  }
});

// node_modules/yaml/dist/compose/compose-scalar.js
var require_compose_scalar = __commonJS({
  "node_modules/yaml/dist/compose/compose-scalar.js"(exports2) {
    "use strict";
    var identity = require_identity();
    var Scalar = require_Scalar();
    var resolveBlockScalar = require_resolve_block_scalar();
    var resolveFlowScalar = require_resolve_flow_scalar();
    function composeScalar(ctx, token, tagToken, onError) {
      const { value, type, comment, range } = token.type === "block-scalar" ? resolveBlockScalar.resolveBlockScalar(ctx, token, onError) : resolveFlowScalar.resolveFlowScalar(token, ctx.options.strict, onError);
      const tagName = tagToken ? ctx.directives.tagName(tagToken.source, (msg) => onError(tagToken, "TAG_RESOLVE_FAILED", msg)) : null;
      let tag;
      if (ctx.options.stringKeys && ctx.atKey) {
        tag = ctx.schema[identity.SCALAR];
      } else if (tagName)
        tag = findScalarTagByName(ctx.schema, value, tagName, tagToken, onError);
      else if (token.type === "scalar")
        tag = findScalarTagByTest(ctx, value, token, onError);
      else
        tag = ctx.schema[identity.SCALAR];
      let scalar;
      try {
        const res = tag.resolve(value, (msg) => onError(tagToken ?? token, "TAG_RESOLVE_FAILED", msg), ctx.options);
        scalar = identity.isScalar(res) ? res : new Scalar.Scalar(res);
      } catch (error) {
        const msg = error instanceof Error ? error.message : String(error);
        onError(tagToken ?? token, "TAG_RESOLVE_FAILED", msg);
        scalar = new Scalar.Scalar(value);
      }
      scalar.range = range;
      scalar.source = value;
      if (type)
        scalar.type = type;
      if (tagName)
        scalar.tag = tagName;
      if (tag.format)
        scalar.format = tag.format;
      if (comment)
        scalar.comment = comment;
      return scalar;
    }
    function findScalarTagByName(schema, value, tagName, tagToken, onError) {
      if (tagName === "!")
        return schema[identity.SCALAR];
      const matchWithTest = [];
      for (const tag of schema.tags) {
        if (!tag.collection && tag.tag === tagName) {
          if (tag.default && tag.test)
            matchWithTest.push(tag);
          else
            return tag;
        }
      }
      for (const tag of matchWithTest)
        if (tag.test?.test(value))
          return tag;
      const kt = schema.knownTags[tagName];
      if (kt && !kt.collection) {
        schema.tags.push(Object.assign({}, kt, { default: false, test: void 0 }));
        return kt;
      }
      onError(tagToken, "TAG_RESOLVE_FAILED", `Unresolved tag: ${tagName}`, tagName !== "tag:yaml.org,2002:str");
      return schema[identity.SCALAR];
    }
    function findScalarTagByTest({ atKey, directives, schema }, value, token, onError) {
      const tag = schema.tags.find((tag2) => (tag2.default === true || atKey && tag2.default === "key") && tag2.test?.test(value)) || schema[identity.SCALAR];
      if (schema.compat) {
        const compat = schema.compat.find((tag2) => tag2.default && tag2.test?.test(value)) ?? schema[identity.SCALAR];
        if (tag.tag !== compat.tag) {
          const ts = directives.tagString(tag.tag);
          const cs = directives.tagString(compat.tag);
          const msg = `Value may be parsed as either ${ts} or ${cs}`;
          onError(token, "TAG_RESOLVE_FAILED", msg, true);
        }
      }
      return tag;
    }
    exports2.composeScalar = composeScalar;
  }
});

// node_modules/yaml/dist/compose/util-empty-scalar-position.js
var require_util_empty_scalar_position = __commonJS({
  "node_modules/yaml/dist/compose/util-empty-scalar-position.js"(exports2) {
    "use strict";
    function emptyScalarPosition(offset, before, pos) {
      if (before) {
        pos ?? (pos = before.length);
        for (let i = pos - 1; i >= 0; --i) {
          let st = before[i];
          switch (st.type) {
            case "space":
            case "comment":
            case "newline":
              offset -= st.source.length;
              continue;
          }
          st = before[++i];
          while (st?.type === "space") {
            offset += st.source.length;
            st = before[++i];
          }
          break;
        }
      }
      return offset;
    }
    exports2.emptyScalarPosition = emptyScalarPosition;
  }
});

// node_modules/yaml/dist/compose/compose-node.js
var require_compose_node = __commonJS({
  "node_modules/yaml/dist/compose/compose-node.js"(exports2) {
    "use strict";
    var Alias = require_Alias();
    var identity = require_identity();
    var composeCollection = require_compose_collection();
    var composeScalar = require_compose_scalar();
    var resolveEnd = require_resolve_end();
    var utilEmptyScalarPosition = require_util_empty_scalar_position();
    var CN = { composeNode, composeEmptyNode };
    function composeNode(ctx, token, props, onError) {
      const atKey = ctx.atKey;
      const { spaceBefore, comment, anchor, tag } = props;
      let node;
      let isSrcToken = true;
      switch (token.type) {
        case "alias":
          node = composeAlias(ctx, token, onError);
          if (anchor || tag)
            onError(token, "ALIAS_PROPS", "An alias node must not specify any properties");
          break;
        case "scalar":
        case "single-quoted-scalar":
        case "double-quoted-scalar":
        case "block-scalar":
          node = composeScalar.composeScalar(ctx, token, tag, onError);
          if (anchor)
            node.anchor = anchor.source.substring(1);
          break;
        case "block-map":
        case "block-seq":
        case "flow-collection":
          try {
            node = composeCollection.composeCollection(CN, ctx, token, props, onError);
            if (anchor)
              node.anchor = anchor.source.substring(1);
          } catch (error) {
            const message = error instanceof Error ? error.message : String(error);
            onError(token, "RESOURCE_EXHAUSTION", message);
          }
          break;
        default: {
          const message = token.type === "error" ? token.message : `Unsupported token (type: ${token.type})`;
          onError(token, "UNEXPECTED_TOKEN", message);
          isSrcToken = false;
        }
      }
      node ?? (node = composeEmptyNode(ctx, token.offset, void 0, null, props, onError));
      if (anchor && node.anchor === "")
        onError(anchor, "BAD_ALIAS", "Anchor cannot be an empty string");
      if (atKey && ctx.options.stringKeys && (!identity.isScalar(node) || typeof node.value !== "string" || node.tag && node.tag !== "tag:yaml.org,2002:str")) {
        const msg = "With stringKeys, all keys must be strings";
        onError(tag ?? token, "NON_STRING_KEY", msg);
      }
      if (spaceBefore)
        node.spaceBefore = true;
      if (comment) {
        if (token.type === "scalar" && token.source === "")
          node.comment = comment;
        else
          node.commentBefore = comment;
      }
      if (ctx.options.keepSourceTokens && isSrcToken)
        node.srcToken = token;
      return node;
    }
    function composeEmptyNode(ctx, offset, before, pos, { spaceBefore, comment, anchor, tag, end }, onError) {
      const token = {
        type: "scalar",
        offset: utilEmptyScalarPosition.emptyScalarPosition(offset, before, pos),
        indent: -1,
        source: ""
      };
      const node = composeScalar.composeScalar(ctx, token, tag, onError);
      if (anchor) {
        node.anchor = anchor.source.substring(1);
        if (node.anchor === "")
          onError(anchor, "BAD_ALIAS", "Anchor cannot be an empty string");
      }
      if (spaceBefore)
        node.spaceBefore = true;
      if (comment) {
        node.comment = comment;
        node.range[2] = end;
      }
      return node;
    }
    function composeAlias({ options }, { offset, source, end }, onError) {
      const alias = new Alias.Alias(source.substring(1));
      if (alias.source === "")
        onError(offset, "BAD_ALIAS", "Alias cannot be an empty string");
      if (alias.source.endsWith(":"))
        onError(offset + source.length - 1, "BAD_ALIAS", "Alias ending in : is ambiguous", true);
      const valueEnd = offset + source.length;
      const re = resolveEnd.resolveEnd(end, valueEnd, options.strict, onError);
      alias.range = [offset, valueEnd, re.offset];
      if (re.comment)
        alias.comment = re.comment;
      return alias;
    }
    exports2.composeEmptyNode = composeEmptyNode;
    exports2.composeNode = composeNode;
  }
});

// node_modules/yaml/dist/compose/compose-doc.js
var require_compose_doc = __commonJS({
  "node_modules/yaml/dist/compose/compose-doc.js"(exports2) {
    "use strict";
    var Document = require_Document();
    var composeNode = require_compose_node();
    var resolveEnd = require_resolve_end();
    var resolveProps = require_resolve_props();
    function composeDoc(options, directives, { offset, start, value, end }, onError) {
      const opts = Object.assign({ _directives: directives }, options);
      const doc = new Document.Document(void 0, opts);
      const ctx = {
        atKey: false,
        atRoot: true,
        directives: doc.directives,
        options: doc.options,
        schema: doc.schema
      };
      const props = resolveProps.resolveProps(start, {
        indicator: "doc-start",
        next: value ?? end?.[0],
        offset,
        onError,
        parentIndent: 0,
        startOnNewline: true
      });
      if (props.found) {
        doc.directives.docStart = true;
        if (value && (value.type === "block-map" || value.type === "block-seq") && !props.hasNewline)
          onError(props.end, "MISSING_CHAR", "Block collection cannot start on same line with directives-end marker");
      }
      doc.contents = value ? composeNode.composeNode(ctx, value, props, onError) : composeNode.composeEmptyNode(ctx, props.end, start, null, props, onError);
      const contentEnd = doc.contents.range[2];
      const re = resolveEnd.resolveEnd(end, contentEnd, false, onError);
      if (re.comment)
        doc.comment = re.comment;
      doc.range = [offset, contentEnd, re.offset];
      return doc;
    }
    exports2.composeDoc = composeDoc;
  }
});

// node_modules/yaml/dist/compose/composer.js
var require_composer = __commonJS({
  "node_modules/yaml/dist/compose/composer.js"(exports2) {
    "use strict";
    var node_process = require("process");
    var directives = require_directives();
    var Document = require_Document();
    var errors = require_errors();
    var identity = require_identity();
    var composeDoc = require_compose_doc();
    var resolveEnd = require_resolve_end();
    function getErrorPos(src) {
      if (typeof src === "number")
        return [src, src + 1];
      if (Array.isArray(src))
        return src.length === 2 ? src : [src[0], src[1]];
      const { offset, source } = src;
      return [offset, offset + (typeof source === "string" ? source.length : 1)];
    }
    function parsePrelude(prelude) {
      let comment = "";
      let atComment = false;
      let afterEmptyLine = false;
      for (let i = 0; i < prelude.length; ++i) {
        const source = prelude[i];
        switch (source[0]) {
          case "#":
            comment += (comment === "" ? "" : afterEmptyLine ? "\n\n" : "\n") + (source.substring(1) || " ");
            atComment = true;
            afterEmptyLine = false;
            break;
          case "%":
            if (prelude[i + 1]?.[0] !== "#")
              i += 1;
            atComment = false;
            break;
          default:
            if (!atComment)
              afterEmptyLine = true;
            atComment = false;
        }
      }
      return { comment, afterEmptyLine };
    }
    var Composer = class {
      constructor(options = {}) {
        this.doc = null;
        this.atDirectives = false;
        this.prelude = [];
        this.errors = [];
        this.warnings = [];
        this.onError = (source, code, message, warning) => {
          const pos = getErrorPos(source);
          if (warning)
            this.warnings.push(new errors.YAMLWarning(pos, code, message));
          else
            this.errors.push(new errors.YAMLParseError(pos, code, message));
        };
        this.directives = new directives.Directives({ version: options.version || "1.2" });
        this.options = options;
      }
      decorate(doc, afterDoc) {
        const { comment, afterEmptyLine } = parsePrelude(this.prelude);
        if (comment) {
          const dc = doc.contents;
          if (afterDoc) {
            doc.comment = doc.comment ? `${doc.comment}
${comment}` : comment;
          } else if (afterEmptyLine || doc.directives.docStart || !dc) {
            doc.commentBefore = comment;
          } else if (identity.isCollection(dc) && !dc.flow && dc.items.length > 0) {
            let it = dc.items[0];
            if (identity.isPair(it))
              it = it.key;
            const cb = it.commentBefore;
            it.commentBefore = cb ? `${comment}
${cb}` : comment;
          } else {
            const cb = dc.commentBefore;
            dc.commentBefore = cb ? `${comment}
${cb}` : comment;
          }
        }
        if (afterDoc) {
          for (let i = 0; i < this.errors.length; ++i)
            doc.errors.push(this.errors[i]);
          for (let i = 0; i < this.warnings.length; ++i)
            doc.warnings.push(this.warnings[i]);
        } else {
          doc.errors = this.errors;
          doc.warnings = this.warnings;
        }
        this.prelude = [];
        this.errors = [];
        this.warnings = [];
      }
      /**
       * Current stream status information.
       *
       * Mostly useful at the end of input for an empty stream.
       */
      streamInfo() {
        return {
          comment: parsePrelude(this.prelude).comment,
          directives: this.directives,
          errors: this.errors,
          warnings: this.warnings
        };
      }
      /**
       * Compose tokens into documents.
       *
       * @param forceDoc - If the stream contains no document, still emit a final document including any comments and directives that would be applied to a subsequent document.
       * @param endOffset - Should be set if `forceDoc` is also set, to set the document range end and to indicate errors correctly.
       */
      *compose(tokens, forceDoc = false, endOffset = -1) {
        for (const token of tokens)
          yield* this.next(token);
        yield* this.end(forceDoc, endOffset);
      }
      /** Advance the composer by one CST token. */
      *next(token) {
        if (node_process.env.LOG_STREAM)
          console.dir(token, { depth: null });
        switch (token.type) {
          case "directive":
            this.directives.add(token.source, (offset, message, warning) => {
              const pos = getErrorPos(token);
              pos[0] += offset;
              this.onError(pos, "BAD_DIRECTIVE", message, warning);
            });
            this.prelude.push(token.source);
            this.atDirectives = true;
            break;
          case "document": {
            const doc = composeDoc.composeDoc(this.options, this.directives, token, this.onError);
            if (this.atDirectives && !doc.directives.docStart)
              this.onError(token, "MISSING_CHAR", "Missing directives-end/doc-start indicator line");
            this.decorate(doc, false);
            if (this.doc)
              yield this.doc;
            this.doc = doc;
            this.atDirectives = false;
            break;
          }
          case "byte-order-mark":
          case "space":
            break;
          case "comment":
          case "newline":
            this.prelude.push(token.source);
            break;
          case "error": {
            const msg = token.source ? `${token.message}: ${JSON.stringify(token.source)}` : token.message;
            const error = new errors.YAMLParseError(getErrorPos(token), "UNEXPECTED_TOKEN", msg);
            if (this.atDirectives || !this.doc)
              this.errors.push(error);
            else
              this.doc.errors.push(error);
            break;
          }
          case "doc-end": {
            if (!this.doc) {
              const msg = "Unexpected doc-end without preceding document";
              this.errors.push(new errors.YAMLParseError(getErrorPos(token), "UNEXPECTED_TOKEN", msg));
              break;
            }
            this.doc.directives.docEnd = true;
            const end = resolveEnd.resolveEnd(token.end, token.offset + token.source.length, this.doc.options.strict, this.onError);
            this.decorate(this.doc, true);
            if (end.comment) {
              const dc = this.doc.comment;
              this.doc.comment = dc ? `${dc}
${end.comment}` : end.comment;
            }
            this.doc.range[2] = end.offset;
            break;
          }
          default:
            this.errors.push(new errors.YAMLParseError(getErrorPos(token), "UNEXPECTED_TOKEN", `Unsupported token ${token.type}`));
        }
      }
      /**
       * Call at end of input to yield any remaining document.
       *
       * @param forceDoc - If the stream contains no document, still emit a final document including any comments and directives that would be applied to a subsequent document.
       * @param endOffset - Should be set if `forceDoc` is also set, to set the document range end and to indicate errors correctly.
       */
      *end(forceDoc = false, endOffset = -1) {
        if (this.doc) {
          this.decorate(this.doc, true);
          yield this.doc;
          this.doc = null;
        } else if (forceDoc) {
          const opts = Object.assign({ _directives: this.directives }, this.options);
          const doc = new Document.Document(void 0, opts);
          if (this.atDirectives)
            this.onError(endOffset, "MISSING_CHAR", "Missing directives-end indicator line");
          doc.range = [0, endOffset, endOffset];
          this.decorate(doc, false);
          yield doc;
        }
      }
    };
    exports2.Composer = Composer;
  }
});

// node_modules/yaml/dist/parse/cst-scalar.js
var require_cst_scalar = __commonJS({
  "node_modules/yaml/dist/parse/cst-scalar.js"(exports2) {
    "use strict";
    var resolveBlockScalar = require_resolve_block_scalar();
    var resolveFlowScalar = require_resolve_flow_scalar();
    var errors = require_errors();
    var stringifyString = require_stringifyString();
    function resolveAsScalar(token, strict = true, onError) {
      if (token) {
        const _onError = (pos, code, message) => {
          const offset = typeof pos === "number" ? pos : Array.isArray(pos) ? pos[0] : pos.offset;
          if (onError)
            onError(offset, code, message);
          else
            throw new errors.YAMLParseError([offset, offset + 1], code, message);
        };
        switch (token.type) {
          case "scalar":
          case "single-quoted-scalar":
          case "double-quoted-scalar":
            return resolveFlowScalar.resolveFlowScalar(token, strict, _onError);
          case "block-scalar":
            return resolveBlockScalar.resolveBlockScalar({ options: { strict } }, token, _onError);
        }
      }
      return null;
    }
    function createScalarToken(value, context2) {
      const { implicitKey = false, indent, inFlow = false, offset = -1, type = "PLAIN" } = context2;
      const source = stringifyString.stringifyString({ type, value }, {
        implicitKey,
        indent: indent > 0 ? " ".repeat(indent) : "",
        inFlow,
        options: { blockQuote: true, lineWidth: -1 }
      });
      const end = context2.end ?? [
        { type: "newline", offset: -1, indent, source: "\n" }
      ];
      switch (source[0]) {
        case "|":
        case ">": {
          const he = source.indexOf("\n");
          const head = source.substring(0, he);
          const body = source.substring(he + 1) + "\n";
          const props = [
            { type: "block-scalar-header", offset, indent, source: head }
          ];
          if (!addEndtoBlockProps(props, end))
            props.push({ type: "newline", offset: -1, indent, source: "\n" });
          return { type: "block-scalar", offset, indent, props, source: body };
        }
        case '"':
          return { type: "double-quoted-scalar", offset, indent, source, end };
        case "'":
          return { type: "single-quoted-scalar", offset, indent, source, end };
        default:
          return { type: "scalar", offset, indent, source, end };
      }
    }
    function setScalarValue(token, value, context2 = {}) {
      let { afterKey = false, implicitKey = false, inFlow = false, type } = context2;
      let indent = "indent" in token ? token.indent : null;
      if (afterKey && typeof indent === "number")
        indent += 2;
      if (!type)
        switch (token.type) {
          case "single-quoted-scalar":
            type = "QUOTE_SINGLE";
            break;
          case "double-quoted-scalar":
            type = "QUOTE_DOUBLE";
            break;
          case "block-scalar": {
            const header = token.props[0];
            if (header.type !== "block-scalar-header")
              throw new Error("Invalid block scalar header");
            type = header.source[0] === ">" ? "BLOCK_FOLDED" : "BLOCK_LITERAL";
            break;
          }
          default:
            type = "PLAIN";
        }
      const source = stringifyString.stringifyString({ type, value }, {
        implicitKey: implicitKey || indent === null,
        indent: indent !== null && indent > 0 ? " ".repeat(indent) : "",
        inFlow,
        options: { blockQuote: true, lineWidth: -1 }
      });
      switch (source[0]) {
        case "|":
        case ">":
          setBlockScalarValue(token, source);
          break;
        case '"':
          setFlowScalarValue(token, source, "double-quoted-scalar");
          break;
        case "'":
          setFlowScalarValue(token, source, "single-quoted-scalar");
          break;
        default:
          setFlowScalarValue(token, source, "scalar");
      }
    }
    function setBlockScalarValue(token, source) {
      const he = source.indexOf("\n");
      const head = source.substring(0, he);
      const body = source.substring(he + 1) + "\n";
      if (token.type === "block-scalar") {
        const header = token.props[0];
        if (header.type !== "block-scalar-header")
          throw new Error("Invalid block scalar header");
        header.source = head;
        token.source = body;
      } else {
        const { offset } = token;
        const indent = "indent" in token ? token.indent : -1;
        const props = [
          { type: "block-scalar-header", offset, indent, source: head }
        ];
        if (!addEndtoBlockProps(props, "end" in token ? token.end : void 0))
          props.push({ type: "newline", offset: -1, indent, source: "\n" });
        for (const key of Object.keys(token))
          if (key !== "type" && key !== "offset")
            delete token[key];
        Object.assign(token, { type: "block-scalar", indent, props, source: body });
      }
    }
    function addEndtoBlockProps(props, end) {
      if (end)
        for (const st of end)
          switch (st.type) {
            case "space":
            case "comment":
              props.push(st);
              break;
            case "newline":
              props.push(st);
              return true;
          }
      return false;
    }
    function setFlowScalarValue(token, source, type) {
      switch (token.type) {
        case "scalar":
        case "double-quoted-scalar":
        case "single-quoted-scalar":
          token.type = type;
          token.source = source;
          break;
        case "block-scalar": {
          const end = token.props.slice(1);
          let oa = source.length;
          if (token.props[0].type === "block-scalar-header")
            oa -= token.props[0].source.length;
          for (const tok of end)
            tok.offset += oa;
          delete token.props;
          Object.assign(token, { type, source, end });
          break;
        }
        case "block-map":
        case "block-seq": {
          const offset = token.offset + source.length;
          const nl = { type: "newline", offset, indent: token.indent, source: "\n" };
          delete token.items;
          Object.assign(token, { type, source, end: [nl] });
          break;
        }
        default: {
          const indent = "indent" in token ? token.indent : -1;
          const end = "end" in token && Array.isArray(token.end) ? token.end.filter((st) => st.type === "space" || st.type === "comment" || st.type === "newline") : [];
          for (const key of Object.keys(token))
            if (key !== "type" && key !== "offset")
              delete token[key];
          Object.assign(token, { type, indent, source, end });
        }
      }
    }
    exports2.createScalarToken = createScalarToken;
    exports2.resolveAsScalar = resolveAsScalar;
    exports2.setScalarValue = setScalarValue;
  }
});

// node_modules/yaml/dist/parse/cst-stringify.js
var require_cst_stringify = __commonJS({
  "node_modules/yaml/dist/parse/cst-stringify.js"(exports2) {
    "use strict";
    var stringify = (cst) => "type" in cst ? stringifyToken(cst) : stringifyItem(cst);
    function stringifyToken(token) {
      switch (token.type) {
        case "block-scalar": {
          let res = "";
          for (const tok of token.props)
            res += stringifyToken(tok);
          return res + token.source;
        }
        case "block-map":
        case "block-seq": {
          let res = "";
          for (const item of token.items)
            res += stringifyItem(item);
          return res;
        }
        case "flow-collection": {
          let res = token.start.source;
          for (const item of token.items)
            res += stringifyItem(item);
          for (const st of token.end)
            res += st.source;
          return res;
        }
        case "document": {
          let res = stringifyItem(token);
          if (token.end)
            for (const st of token.end)
              res += st.source;
          return res;
        }
        default: {
          let res = token.source;
          if ("end" in token && token.end)
            for (const st of token.end)
              res += st.source;
          return res;
        }
      }
    }
    function stringifyItem({ start, key, sep, value }) {
      let res = "";
      for (const st of start)
        res += st.source;
      if (key)
        res += stringifyToken(key);
      if (sep)
        for (const st of sep)
          res += st.source;
      if (value)
        res += stringifyToken(value);
      return res;
    }
    exports2.stringify = stringify;
  }
});

// node_modules/yaml/dist/parse/cst-visit.js
var require_cst_visit = __commonJS({
  "node_modules/yaml/dist/parse/cst-visit.js"(exports2) {
    "use strict";
    var BREAK = /* @__PURE__ */ Symbol("break visit");
    var SKIP = /* @__PURE__ */ Symbol("skip children");
    var REMOVE = /* @__PURE__ */ Symbol("remove item");
    function visit(cst, visitor) {
      if ("type" in cst && cst.type === "document")
        cst = { start: cst.start, value: cst.value };
      _visit(Object.freeze([]), cst, visitor);
    }
    visit.BREAK = BREAK;
    visit.SKIP = SKIP;
    visit.REMOVE = REMOVE;
    visit.itemAtPath = (cst, path) => {
      let item = cst;
      for (const [field, index] of path) {
        const tok = item?.[field];
        if (tok && "items" in tok) {
          item = tok.items[index];
        } else
          return void 0;
      }
      return item;
    };
    visit.parentCollection = (cst, path) => {
      const parent = visit.itemAtPath(cst, path.slice(0, -1));
      const field = path[path.length - 1][0];
      const coll = parent?.[field];
      if (coll && "items" in coll)
        return coll;
      throw new Error("Parent collection not found");
    };
    function _visit(path, item, visitor) {
      let ctrl = visitor(item, path);
      if (typeof ctrl === "symbol")
        return ctrl;
      for (const field of ["key", "value"]) {
        const token = item[field];
        if (token && "items" in token) {
          for (let i = 0; i < token.items.length; ++i) {
            const ci = _visit(Object.freeze(path.concat([[field, i]])), token.items[i], visitor);
            if (typeof ci === "number")
              i = ci - 1;
            else if (ci === BREAK)
              return BREAK;
            else if (ci === REMOVE) {
              token.items.splice(i, 1);
              i -= 1;
            }
          }
          if (typeof ctrl === "function" && field === "key")
            ctrl = ctrl(item, path);
        }
      }
      return typeof ctrl === "function" ? ctrl(item, path) : ctrl;
    }
    exports2.visit = visit;
  }
});

// node_modules/yaml/dist/parse/cst.js
var require_cst = __commonJS({
  "node_modules/yaml/dist/parse/cst.js"(exports2) {
    "use strict";
    var cstScalar = require_cst_scalar();
    var cstStringify = require_cst_stringify();
    var cstVisit = require_cst_visit();
    var BOM = "\uFEFF";
    var DOCUMENT = "";
    var FLOW_END = "";
    var SCALAR = "";
    var isCollection = (token) => !!token && "items" in token;
    var isScalar = (token) => !!token && (token.type === "scalar" || token.type === "single-quoted-scalar" || token.type === "double-quoted-scalar" || token.type === "block-scalar");
    function prettyToken(token) {
      switch (token) {
        case BOM:
          return "<BOM>";
        case DOCUMENT:
          return "<DOC>";
        case FLOW_END:
          return "<FLOW_END>";
        case SCALAR:
          return "<SCALAR>";
        default:
          return JSON.stringify(token);
      }
    }
    function tokenType(source) {
      switch (source) {
        case BOM:
          return "byte-order-mark";
        case DOCUMENT:
          return "doc-mode";
        case FLOW_END:
          return "flow-error-end";
        case SCALAR:
          return "scalar";
        case "---":
          return "doc-start";
        case "...":
          return "doc-end";
        case "":
        case "\n":
        case "\r\n":
          return "newline";
        case "-":
          return "seq-item-ind";
        case "?":
          return "explicit-key-ind";
        case ":":
          return "map-value-ind";
        case "{":
          return "flow-map-start";
        case "}":
          return "flow-map-end";
        case "[":
          return "flow-seq-start";
        case "]":
          return "flow-seq-end";
        case ",":
          return "comma";
      }
      switch (source[0]) {
        case " ":
        case "	":
          return "space";
        case "#":
          return "comment";
        case "%":
          return "directive-line";
        case "*":
          return "alias";
        case "&":
          return "anchor";
        case "!":
          return "tag";
        case "'":
          return "single-quoted-scalar";
        case '"':
          return "double-quoted-scalar";
        case "|":
        case ">":
          return "block-scalar-header";
      }
      return null;
    }
    exports2.createScalarToken = cstScalar.createScalarToken;
    exports2.resolveAsScalar = cstScalar.resolveAsScalar;
    exports2.setScalarValue = cstScalar.setScalarValue;
    exports2.stringify = cstStringify.stringify;
    exports2.visit = cstVisit.visit;
    exports2.BOM = BOM;
    exports2.DOCUMENT = DOCUMENT;
    exports2.FLOW_END = FLOW_END;
    exports2.SCALAR = SCALAR;
    exports2.isCollection = isCollection;
    exports2.isScalar = isScalar;
    exports2.prettyToken = prettyToken;
    exports2.tokenType = tokenType;
  }
});

// node_modules/yaml/dist/parse/lexer.js
var require_lexer = __commonJS({
  "node_modules/yaml/dist/parse/lexer.js"(exports2) {
    "use strict";
    var cst = require_cst();
    function isEmpty(ch) {
      switch (ch) {
        case void 0:
        case " ":
        case "\n":
        case "\r":
        case "	":
          return true;
        default:
          return false;
      }
    }
    var hexDigits = new Set("0123456789ABCDEFabcdef");
    var tagChars = new Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-#;/?:@&=+$_.!~*'()");
    var flowIndicatorChars = new Set(",[]{}");
    var invalidAnchorChars = new Set(" ,[]{}\n\r	");
    var isNotAnchorChar = (ch) => !ch || invalidAnchorChars.has(ch);
    var Lexer = class {
      constructor() {
        this.atEnd = false;
        this.blockScalarIndent = -1;
        this.blockScalarKeep = false;
        this.buffer = "";
        this.flowKey = false;
        this.flowLevel = 0;
        this.indentNext = 0;
        this.indentValue = 0;
        this.lineEndPos = null;
        this.next = null;
        this.pos = 0;
      }
      /**
       * Generate YAML tokens from the `source` string. If `incomplete`,
       * a part of the last line may be left as a buffer for the next call.
       *
       * @returns A generator of lexical tokens
       */
      *lex(source, incomplete = false) {
        if (source) {
          if (typeof source !== "string")
            throw TypeError("source is not a string");
          this.buffer = this.buffer ? this.buffer + source : source;
          this.lineEndPos = null;
        }
        this.atEnd = !incomplete;
        let next = this.next ?? "stream";
        while (next && (incomplete || this.hasChars(1)))
          next = yield* this.parseNext(next);
      }
      atLineEnd() {
        let i = this.pos;
        let ch = this.buffer[i];
        while (ch === " " || ch === "	")
          ch = this.buffer[++i];
        if (!ch || ch === "#" || ch === "\n")
          return true;
        if (ch === "\r")
          return this.buffer[i + 1] === "\n";
        return false;
      }
      charAt(n2) {
        return this.buffer[this.pos + n2];
      }
      continueScalar(offset) {
        let ch = this.buffer[offset];
        if (this.indentNext > 0) {
          let indent = 0;
          while (ch === " ")
            ch = this.buffer[++indent + offset];
          if (ch === "\r") {
            const next = this.buffer[indent + offset + 1];
            if (next === "\n" || !next && !this.atEnd)
              return offset + indent + 1;
          }
          return ch === "\n" || indent >= this.indentNext || !ch && !this.atEnd ? offset + indent : -1;
        }
        if (ch === "-" || ch === ".") {
          const dt = this.buffer.substr(offset, 3);
          if ((dt === "---" || dt === "...") && isEmpty(this.buffer[offset + 3]))
            return -1;
        }
        return offset;
      }
      getLine() {
        let end = this.lineEndPos;
        if (typeof end !== "number" || end !== -1 && end < this.pos) {
          end = this.buffer.indexOf("\n", this.pos);
          this.lineEndPos = end;
        }
        if (end === -1)
          return this.atEnd ? this.buffer.substring(this.pos) : null;
        if (this.buffer[end - 1] === "\r")
          end -= 1;
        return this.buffer.substring(this.pos, end);
      }
      hasChars(n2) {
        return this.pos + n2 <= this.buffer.length;
      }
      setNext(state) {
        this.buffer = this.buffer.substring(this.pos);
        this.pos = 0;
        this.lineEndPos = null;
        this.next = state;
        return null;
      }
      peek(n2) {
        return this.buffer.substr(this.pos, n2);
      }
      *parseNext(next) {
        switch (next) {
          case "stream":
            return yield* this.parseStream();
          case "line-start":
            return yield* this.parseLineStart();
          case "block-start":
            return yield* this.parseBlockStart();
          case "doc":
            return yield* this.parseDocument();
          case "flow":
            return yield* this.parseFlowCollection();
          case "quoted-scalar":
            return yield* this.parseQuotedScalar();
          case "block-scalar":
            return yield* this.parseBlockScalar();
          case "plain-scalar":
            return yield* this.parsePlainScalar();
        }
      }
      *parseStream() {
        let line2 = this.getLine();
        if (line2 === null)
          return this.setNext("stream");
        if (line2[0] === cst.BOM) {
          yield* this.pushCount(1);
          line2 = line2.substring(1);
        }
        if (line2[0] === "%") {
          let dirEnd = line2.length;
          let cs = line2.indexOf("#");
          while (cs !== -1) {
            const ch = line2[cs - 1];
            if (ch === " " || ch === "	") {
              dirEnd = cs - 1;
              break;
            } else {
              cs = line2.indexOf("#", cs + 1);
            }
          }
          while (true) {
            const ch = line2[dirEnd - 1];
            if (ch === " " || ch === "	")
              dirEnd -= 1;
            else
              break;
          }
          const n2 = (yield* this.pushCount(dirEnd)) + (yield* this.pushSpaces(true));
          yield* this.pushCount(line2.length - n2);
          this.pushNewline();
          return "stream";
        }
        if (this.atLineEnd()) {
          const sp = yield* this.pushSpaces(true);
          yield* this.pushCount(line2.length - sp);
          yield* this.pushNewline();
          return "stream";
        }
        yield cst.DOCUMENT;
        return yield* this.parseLineStart();
      }
      *parseLineStart() {
        const ch = this.charAt(0);
        if (!ch && !this.atEnd)
          return this.setNext("line-start");
        if (ch === "-" || ch === ".") {
          if (!this.atEnd && !this.hasChars(4))
            return this.setNext("line-start");
          const s = this.peek(3);
          if ((s === "---" || s === "...") && isEmpty(this.charAt(3))) {
            yield* this.pushCount(3);
            this.indentValue = 0;
            this.indentNext = 0;
            return s === "---" ? "doc" : "stream";
          }
        }
        this.indentValue = yield* this.pushSpaces(false);
        if (this.indentNext > this.indentValue && !isEmpty(this.charAt(1)))
          this.indentNext = this.indentValue;
        return yield* this.parseBlockStart();
      }
      *parseBlockStart() {
        const [ch0, ch1] = this.peek(2);
        if (!ch1 && !this.atEnd)
          return this.setNext("block-start");
        if ((ch0 === "-" || ch0 === "?" || ch0 === ":") && isEmpty(ch1)) {
          const n2 = (yield* this.pushCount(1)) + (yield* this.pushSpaces(true));
          this.indentNext = this.indentValue + 1;
          this.indentValue += n2;
          return "block-start";
        }
        return "doc";
      }
      *parseDocument() {
        yield* this.pushSpaces(true);
        const line2 = this.getLine();
        if (line2 === null)
          return this.setNext("doc");
        let n2 = yield* this.pushIndicators();
        switch (line2[n2]) {
          case "#":
            yield* this.pushCount(line2.length - n2);
          // fallthrough
          case void 0:
            yield* this.pushNewline();
            return yield* this.parseLineStart();
          case "{":
          case "[":
            yield* this.pushCount(1);
            this.flowKey = false;
            this.flowLevel = 1;
            return "flow";
          case "}":
          case "]":
            yield* this.pushCount(1);
            return "doc";
          case "*":
            yield* this.pushUntil(isNotAnchorChar);
            return "doc";
          case '"':
          case "'":
            return yield* this.parseQuotedScalar();
          case "|":
          case ">":
            n2 += yield* this.parseBlockScalarHeader();
            n2 += yield* this.pushSpaces(true);
            yield* this.pushCount(line2.length - n2);
            yield* this.pushNewline();
            return yield* this.parseBlockScalar();
          default:
            return yield* this.parsePlainScalar();
        }
      }
      *parseFlowCollection() {
        let nl, sp;
        let indent = -1;
        do {
          nl = yield* this.pushNewline();
          if (nl > 0) {
            sp = yield* this.pushSpaces(false);
            this.indentValue = indent = sp;
          } else {
            sp = 0;
          }
          sp += yield* this.pushSpaces(true);
        } while (nl + sp > 0);
        const line2 = this.getLine();
        if (line2 === null)
          return this.setNext("flow");
        if (indent !== -1 && indent < this.indentNext && line2[0] !== "#" || indent === 0 && (line2.startsWith("---") || line2.startsWith("...")) && isEmpty(line2[3])) {
          const atFlowEndMarker = indent === this.indentNext - 1 && this.flowLevel === 1 && (line2[0] === "]" || line2[0] === "}");
          if (!atFlowEndMarker) {
            this.flowLevel = 0;
            yield cst.FLOW_END;
            return yield* this.parseLineStart();
          }
        }
        let n2 = 0;
        while (line2[n2] === ",") {
          n2 += yield* this.pushCount(1);
          n2 += yield* this.pushSpaces(true);
          this.flowKey = false;
        }
        n2 += yield* this.pushIndicators();
        switch (line2[n2]) {
          case void 0:
            return "flow";
          case "#":
            yield* this.pushCount(line2.length - n2);
            return "flow";
          case "{":
          case "[":
            yield* this.pushCount(1);
            this.flowKey = false;
            this.flowLevel += 1;
            return "flow";
          case "}":
          case "]":
            yield* this.pushCount(1);
            this.flowKey = true;
            this.flowLevel -= 1;
            return this.flowLevel ? "flow" : "doc";
          case "*":
            yield* this.pushUntil(isNotAnchorChar);
            return "flow";
          case '"':
          case "'":
            this.flowKey = true;
            return yield* this.parseQuotedScalar();
          case ":": {
            const next = this.charAt(1);
            if (this.flowKey || isEmpty(next) || next === ",") {
              this.flowKey = false;
              yield* this.pushCount(1);
              yield* this.pushSpaces(true);
              return "flow";
            }
          }
          // fallthrough
          default:
            this.flowKey = false;
            return yield* this.parsePlainScalar();
        }
      }
      *parseQuotedScalar() {
        const quote = this.charAt(0);
        let end = this.buffer.indexOf(quote, this.pos + 1);
        if (quote === "'") {
          while (end !== -1 && this.buffer[end + 1] === "'")
            end = this.buffer.indexOf("'", end + 2);
        } else {
          while (end !== -1) {
            let n2 = 0;
            while (this.buffer[end - 1 - n2] === "\\")
              n2 += 1;
            if (n2 % 2 === 0)
              break;
            end = this.buffer.indexOf('"', end + 1);
          }
        }
        const qb = this.buffer.substring(0, end);
        let nl = qb.indexOf("\n", this.pos);
        if (nl !== -1) {
          while (nl !== -1) {
            const cs = this.continueScalar(nl + 1);
            if (cs === -1)
              break;
            nl = qb.indexOf("\n", cs);
          }
          if (nl !== -1) {
            end = nl - (qb[nl - 1] === "\r" ? 2 : 1);
          }
        }
        if (end === -1) {
          if (!this.atEnd)
            return this.setNext("quoted-scalar");
          end = this.buffer.length;
        }
        yield* this.pushToIndex(end + 1, false);
        return this.flowLevel ? "flow" : "doc";
      }
      *parseBlockScalarHeader() {
        this.blockScalarIndent = -1;
        this.blockScalarKeep = false;
        let i = this.pos;
        while (true) {
          const ch = this.buffer[++i];
          if (ch === "+")
            this.blockScalarKeep = true;
          else if (ch > "0" && ch <= "9")
            this.blockScalarIndent = Number(ch) - 1;
          else if (ch !== "-")
            break;
        }
        return yield* this.pushUntil((ch) => isEmpty(ch) || ch === "#");
      }
      *parseBlockScalar() {
        let nl = this.pos - 1;
        let indent = 0;
        let ch;
        loop: for (let i2 = this.pos; ch = this.buffer[i2]; ++i2) {
          switch (ch) {
            case " ":
              indent += 1;
              break;
            case "\n":
              nl = i2;
              indent = 0;
              break;
            case "\r": {
              const next = this.buffer[i2 + 1];
              if (!next && !this.atEnd)
                return this.setNext("block-scalar");
              if (next === "\n")
                break;
            }
            // fallthrough
            default:
              break loop;
          }
        }
        if (!ch && !this.atEnd)
          return this.setNext("block-scalar");
        if (indent >= this.indentNext) {
          if (this.blockScalarIndent === -1)
            this.indentNext = indent;
          else {
            this.indentNext = this.blockScalarIndent + (this.indentNext === 0 ? 1 : this.indentNext);
          }
          do {
            const cs = this.continueScalar(nl + 1);
            if (cs === -1)
              break;
            nl = this.buffer.indexOf("\n", cs);
          } while (nl !== -1);
          if (nl === -1) {
            if (!this.atEnd)
              return this.setNext("block-scalar");
            nl = this.buffer.length;
          }
        }
        let i = nl + 1;
        ch = this.buffer[i];
        while (ch === " ")
          ch = this.buffer[++i];
        if (ch === "	") {
          while (ch === "	" || ch === " " || ch === "\r" || ch === "\n")
            ch = this.buffer[++i];
          nl = i - 1;
        } else if (!this.blockScalarKeep) {
          do {
            let i2 = nl - 1;
            let ch2 = this.buffer[i2];
            if (ch2 === "\r")
              ch2 = this.buffer[--i2];
            const lastChar = i2;
            while (ch2 === " ")
              ch2 = this.buffer[--i2];
            if (ch2 === "\n" && i2 >= this.pos && i2 + 1 + indent > lastChar)
              nl = i2;
            else
              break;
          } while (true);
        }
        yield cst.SCALAR;
        yield* this.pushToIndex(nl + 1, true);
        return yield* this.parseLineStart();
      }
      *parsePlainScalar() {
        const inFlow = this.flowLevel > 0;
        let end = this.pos - 1;
        let i = this.pos - 1;
        let ch;
        while (ch = this.buffer[++i]) {
          if (ch === ":") {
            const next = this.buffer[i + 1];
            if (isEmpty(next) || inFlow && flowIndicatorChars.has(next))
              break;
            end = i;
          } else if (isEmpty(ch)) {
            let next = this.buffer[i + 1];
            if (ch === "\r") {
              if (next === "\n") {
                i += 1;
                ch = "\n";
                next = this.buffer[i + 1];
              } else
                end = i;
            }
            if (next === "#" || inFlow && flowIndicatorChars.has(next))
              break;
            if (ch === "\n") {
              const cs = this.continueScalar(i + 1);
              if (cs === -1)
                break;
              i = Math.max(i, cs - 2);
            }
          } else {
            if (inFlow && flowIndicatorChars.has(ch))
              break;
            end = i;
          }
        }
        if (!ch && !this.atEnd)
          return this.setNext("plain-scalar");
        yield cst.SCALAR;
        yield* this.pushToIndex(end + 1, true);
        return inFlow ? "flow" : "doc";
      }
      *pushCount(n2) {
        if (n2 > 0) {
          yield this.buffer.substr(this.pos, n2);
          this.pos += n2;
          return n2;
        }
        return 0;
      }
      *pushToIndex(i, allowEmpty) {
        const s = this.buffer.slice(this.pos, i);
        if (s) {
          yield s;
          this.pos += s.length;
          return s.length;
        } else if (allowEmpty)
          yield "";
        return 0;
      }
      *pushIndicators() {
        let n2 = 0;
        loop: while (true) {
          switch (this.charAt(0)) {
            case "!":
              n2 += yield* this.pushTag();
              n2 += yield* this.pushSpaces(true);
              continue loop;
            case "&":
              n2 += yield* this.pushUntil(isNotAnchorChar);
              n2 += yield* this.pushSpaces(true);
              continue loop;
            case "-":
            // this is an error
            case "?":
            // this is an error outside flow collections
            case ":": {
              const inFlow = this.flowLevel > 0;
              const ch1 = this.charAt(1);
              if (isEmpty(ch1) || inFlow && flowIndicatorChars.has(ch1)) {
                if (!inFlow)
                  this.indentNext = this.indentValue + 1;
                else if (this.flowKey)
                  this.flowKey = false;
                n2 += yield* this.pushCount(1);
                n2 += yield* this.pushSpaces(true);
                continue loop;
              }
            }
          }
          break loop;
        }
        return n2;
      }
      *pushTag() {
        if (this.charAt(1) === "<") {
          let i = this.pos + 2;
          let ch = this.buffer[i];
          while (!isEmpty(ch) && ch !== ">")
            ch = this.buffer[++i];
          return yield* this.pushToIndex(ch === ">" ? i + 1 : i, false);
        } else {
          let i = this.pos + 1;
          let ch = this.buffer[i];
          while (ch) {
            if (tagChars.has(ch))
              ch = this.buffer[++i];
            else if (ch === "%" && hexDigits.has(this.buffer[i + 1]) && hexDigits.has(this.buffer[i + 2])) {
              ch = this.buffer[i += 3];
            } else
              break;
          }
          return yield* this.pushToIndex(i, false);
        }
      }
      *pushNewline() {
        const ch = this.buffer[this.pos];
        if (ch === "\n")
          return yield* this.pushCount(1);
        else if (ch === "\r" && this.charAt(1) === "\n")
          return yield* this.pushCount(2);
        else
          return 0;
      }
      *pushSpaces(allowTabs) {
        let i = this.pos - 1;
        let ch;
        do {
          ch = this.buffer[++i];
        } while (ch === " " || allowTabs && ch === "	");
        const n2 = i - this.pos;
        if (n2 > 0) {
          yield this.buffer.substr(this.pos, n2);
          this.pos = i;
        }
        return n2;
      }
      *pushUntil(test) {
        let i = this.pos;
        let ch = this.buffer[i];
        while (!test(ch))
          ch = this.buffer[++i];
        return yield* this.pushToIndex(i, false);
      }
    };
    exports2.Lexer = Lexer;
  }
});

// node_modules/yaml/dist/parse/line-counter.js
var require_line_counter = __commonJS({
  "node_modules/yaml/dist/parse/line-counter.js"(exports2) {
    "use strict";
    var LineCounter = class {
      constructor() {
        this.lineStarts = [];
        this.addNewLine = (offset) => this.lineStarts.push(offset);
        this.linePos = (offset) => {
          let low = 0;
          let high = this.lineStarts.length;
          while (low < high) {
            const mid = low + high >> 1;
            if (this.lineStarts[mid] < offset)
              low = mid + 1;
            else
              high = mid;
          }
          if (this.lineStarts[low] === offset)
            return { line: low + 1, col: 1 };
          if (low === 0)
            return { line: 0, col: offset };
          const start = this.lineStarts[low - 1];
          return { line: low, col: offset - start + 1 };
        };
      }
    };
    exports2.LineCounter = LineCounter;
  }
});

// node_modules/yaml/dist/parse/parser.js
var require_parser = __commonJS({
  "node_modules/yaml/dist/parse/parser.js"(exports2) {
    "use strict";
    var node_process = require("process");
    var cst = require_cst();
    var lexer = require_lexer();
    function includesToken(list, type) {
      for (let i = 0; i < list.length; ++i)
        if (list[i].type === type)
          return true;
      return false;
    }
    function findNonEmptyIndex(list) {
      for (let i = 0; i < list.length; ++i) {
        switch (list[i].type) {
          case "space":
          case "comment":
          case "newline":
            break;
          default:
            return i;
        }
      }
      return -1;
    }
    function isFlowToken(token) {
      switch (token?.type) {
        case "alias":
        case "scalar":
        case "single-quoted-scalar":
        case "double-quoted-scalar":
        case "flow-collection":
          return true;
        default:
          return false;
      }
    }
    function getPrevProps(parent) {
      switch (parent.type) {
        case "document":
          return parent.start;
        case "block-map": {
          const it = parent.items[parent.items.length - 1];
          return it.sep ?? it.start;
        }
        case "block-seq":
          return parent.items[parent.items.length - 1].start;
        /* istanbul ignore next should not happen */
        default:
          return [];
      }
    }
    function getFirstKeyStartProps(prev) {
      if (prev.length === 0)
        return [];
      let i = prev.length;
      loop: while (--i >= 0) {
        switch (prev[i].type) {
          case "doc-start":
          case "explicit-key-ind":
          case "map-value-ind":
          case "seq-item-ind":
          case "newline":
            break loop;
        }
      }
      while (prev[++i]?.type === "space") {
      }
      return prev.splice(i, prev.length);
    }
    function arrayPushArray(target, source) {
      if (source.length < 1e5)
        Array.prototype.push.apply(target, source);
      else
        for (let i = 0; i < source.length; ++i)
          target.push(source[i]);
    }
    function fixFlowSeqItems(fc) {
      if (fc.start.type === "flow-seq-start") {
        for (const it of fc.items) {
          if (it.sep && !it.value && !includesToken(it.start, "explicit-key-ind") && !includesToken(it.sep, "map-value-ind")) {
            if (it.key)
              it.value = it.key;
            delete it.key;
            if (isFlowToken(it.value)) {
              if (it.value.end)
                arrayPushArray(it.value.end, it.sep);
              else
                it.value.end = it.sep;
            } else
              arrayPushArray(it.start, it.sep);
            delete it.sep;
          }
        }
      }
    }
    var Parser = class {
      /**
       * @param onNewLine - If defined, called separately with the start position of
       *   each new line (in `parse()`, including the start of input).
       */
      constructor(onNewLine) {
        this.atNewLine = true;
        this.atScalar = false;
        this.indent = 0;
        this.offset = 0;
        this.onKeyLine = false;
        this.stack = [];
        this.source = "";
        this.type = "";
        this.lexer = new lexer.Lexer();
        this.onNewLine = onNewLine;
      }
      /**
       * Parse `source` as a YAML stream.
       * If `incomplete`, a part of the last line may be left as a buffer for the next call.
       *
       * Errors are not thrown, but yielded as `{ type: 'error', message }` tokens.
       *
       * @returns A generator of tokens representing each directive, document, and other structure.
       */
      *parse(source, incomplete = false) {
        if (this.onNewLine && this.offset === 0)
          this.onNewLine(0);
        for (const lexeme of this.lexer.lex(source, incomplete))
          yield* this.next(lexeme);
        if (!incomplete)
          yield* this.end();
      }
      /**
       * Advance the parser by the `source` of one lexical token.
       */
      *next(source) {
        this.source = source;
        if (node_process.env.LOG_TOKENS)
          console.log("|", cst.prettyToken(source));
        if (this.atScalar) {
          this.atScalar = false;
          yield* this.step();
          this.offset += source.length;
          return;
        }
        const type = cst.tokenType(source);
        if (!type) {
          const message = `Not a YAML token: ${source}`;
          yield* this.pop({ type: "error", offset: this.offset, message, source });
          this.offset += source.length;
        } else if (type === "scalar") {
          this.atNewLine = false;
          this.atScalar = true;
          this.type = "scalar";
        } else {
          this.type = type;
          yield* this.step();
          switch (type) {
            case "newline":
              this.atNewLine = true;
              this.indent = 0;
              if (this.onNewLine)
                this.onNewLine(this.offset + source.length);
              break;
            case "space":
              if (this.atNewLine && source[0] === " ")
                this.indent += source.length;
              break;
            case "explicit-key-ind":
            case "map-value-ind":
            case "seq-item-ind":
              if (this.atNewLine)
                this.indent += source.length;
              break;
            case "doc-mode":
            case "flow-error-end":
              return;
            default:
              this.atNewLine = false;
          }
          this.offset += source.length;
        }
      }
      /** Call at end of input to push out any remaining constructions */
      *end() {
        while (this.stack.length > 0)
          yield* this.pop();
      }
      get sourceToken() {
        const st = {
          type: this.type,
          offset: this.offset,
          indent: this.indent,
          source: this.source
        };
        return st;
      }
      *step() {
        const top = this.peek(1);
        if (this.type === "doc-end" && top?.type !== "doc-end") {
          while (this.stack.length > 0)
            yield* this.pop();
          this.stack.push({
            type: "doc-end",
            offset: this.offset,
            source: this.source
          });
          return;
        }
        if (!top)
          return yield* this.stream();
        switch (top.type) {
          case "document":
            return yield* this.document(top);
          case "alias":
          case "scalar":
          case "single-quoted-scalar":
          case "double-quoted-scalar":
            return yield* this.scalar(top);
          case "block-scalar":
            return yield* this.blockScalar(top);
          case "block-map":
            return yield* this.blockMap(top);
          case "block-seq":
            return yield* this.blockSequence(top);
          case "flow-collection":
            return yield* this.flowCollection(top);
          case "doc-end":
            return yield* this.documentEnd(top);
        }
        yield* this.pop();
      }
      peek(n2) {
        return this.stack[this.stack.length - n2];
      }
      *pop(error) {
        const token = error ?? this.stack.pop();
        if (!token) {
          const message = "Tried to pop an empty stack";
          yield { type: "error", offset: this.offset, source: "", message };
        } else if (this.stack.length === 0) {
          yield token;
        } else {
          const top = this.peek(1);
          if (token.type === "block-scalar") {
            token.indent = "indent" in top ? top.indent : 0;
          } else if (token.type === "flow-collection" && top.type === "document") {
            token.indent = 0;
          }
          if (token.type === "flow-collection")
            fixFlowSeqItems(token);
          switch (top.type) {
            case "document":
              top.value = token;
              break;
            case "block-scalar":
              top.props.push(token);
              break;
            case "block-map": {
              const it = top.items[top.items.length - 1];
              if (it.value) {
                top.items.push({ start: [], key: token, sep: [] });
                this.onKeyLine = true;
                return;
              } else if (it.sep) {
                it.value = token;
              } else {
                Object.assign(it, { key: token, sep: [] });
                this.onKeyLine = !it.explicitKey;
                return;
              }
              break;
            }
            case "block-seq": {
              const it = top.items[top.items.length - 1];
              if (it.value)
                top.items.push({ start: [], value: token });
              else
                it.value = token;
              break;
            }
            case "flow-collection": {
              const it = top.items[top.items.length - 1];
              if (!it || it.value)
                top.items.push({ start: [], key: token, sep: [] });
              else if (it.sep)
                it.value = token;
              else
                Object.assign(it, { key: token, sep: [] });
              return;
            }
            /* istanbul ignore next should not happen */
            default:
              yield* this.pop();
              yield* this.pop(token);
          }
          if ((top.type === "document" || top.type === "block-map" || top.type === "block-seq") && (token.type === "block-map" || token.type === "block-seq")) {
            const last = token.items[token.items.length - 1];
            if (last && !last.sep && !last.value && last.start.length > 0 && findNonEmptyIndex(last.start) === -1 && (token.indent === 0 || last.start.every((st) => st.type !== "comment" || st.indent < token.indent))) {
              if (top.type === "document")
                top.end = last.start;
              else
                top.items.push({ start: last.start });
              token.items.splice(-1, 1);
            }
          }
        }
      }
      *stream() {
        switch (this.type) {
          case "directive-line":
            yield { type: "directive", offset: this.offset, source: this.source };
            return;
          case "byte-order-mark":
          case "space":
          case "comment":
          case "newline":
            yield this.sourceToken;
            return;
          case "doc-mode":
          case "doc-start": {
            const doc = {
              type: "document",
              offset: this.offset,
              start: []
            };
            if (this.type === "doc-start")
              doc.start.push(this.sourceToken);
            this.stack.push(doc);
            return;
          }
        }
        yield {
          type: "error",
          offset: this.offset,
          message: `Unexpected ${this.type} token in YAML stream`,
          source: this.source
        };
      }
      *document(doc) {
        if (doc.value)
          return yield* this.lineEnd(doc);
        switch (this.type) {
          case "doc-start": {
            if (findNonEmptyIndex(doc.start) !== -1) {
              yield* this.pop();
              yield* this.step();
            } else
              doc.start.push(this.sourceToken);
            return;
          }
          case "anchor":
          case "tag":
          case "space":
          case "comment":
          case "newline":
            doc.start.push(this.sourceToken);
            return;
        }
        const bv = this.startBlockValue(doc);
        if (bv)
          this.stack.push(bv);
        else {
          yield {
            type: "error",
            offset: this.offset,
            message: `Unexpected ${this.type} token in YAML document`,
            source: this.source
          };
        }
      }
      *scalar(scalar) {
        if (this.type === "map-value-ind") {
          const prev = getPrevProps(this.peek(2));
          const start = getFirstKeyStartProps(prev);
          let sep;
          if (scalar.end) {
            sep = scalar.end;
            sep.push(this.sourceToken);
            delete scalar.end;
          } else
            sep = [this.sourceToken];
          const map = {
            type: "block-map",
            offset: scalar.offset,
            indent: scalar.indent,
            items: [{ start, key: scalar, sep }]
          };
          this.onKeyLine = true;
          this.stack[this.stack.length - 1] = map;
        } else
          yield* this.lineEnd(scalar);
      }
      *blockScalar(scalar) {
        switch (this.type) {
          case "space":
          case "comment":
          case "newline":
            scalar.props.push(this.sourceToken);
            return;
          case "scalar":
            scalar.source = this.source;
            this.atNewLine = true;
            this.indent = 0;
            if (this.onNewLine) {
              let nl = this.source.indexOf("\n") + 1;
              while (nl !== 0) {
                this.onNewLine(this.offset + nl);
                nl = this.source.indexOf("\n", nl) + 1;
              }
            }
            yield* this.pop();
            break;
          /* istanbul ignore next should not happen */
          default:
            yield* this.pop();
            yield* this.step();
        }
      }
      *blockMap(map) {
        const it = map.items[map.items.length - 1];
        switch (this.type) {
          case "newline":
            this.onKeyLine = false;
            if (it.value) {
              const end = "end" in it.value ? it.value.end : void 0;
              const last = Array.isArray(end) ? end[end.length - 1] : void 0;
              if (last?.type === "comment")
                end?.push(this.sourceToken);
              else
                map.items.push({ start: [this.sourceToken] });
            } else if (it.sep) {
              it.sep.push(this.sourceToken);
            } else {
              it.start.push(this.sourceToken);
            }
            return;
          case "space":
          case "comment":
            if (it.value) {
              map.items.push({ start: [this.sourceToken] });
            } else if (it.sep) {
              it.sep.push(this.sourceToken);
            } else {
              if (this.atIndentedComment(it.start, map.indent)) {
                const prev = map.items[map.items.length - 2];
                const end = prev?.value?.end;
                if (Array.isArray(end)) {
                  arrayPushArray(end, it.start);
                  end.push(this.sourceToken);
                  map.items.pop();
                  return;
                }
              }
              it.start.push(this.sourceToken);
            }
            return;
        }
        if (this.indent >= map.indent) {
          const atMapIndent = !this.onKeyLine && this.indent === map.indent;
          const atNextItem = atMapIndent && (it.sep || it.explicitKey) && this.type !== "seq-item-ind";
          let start = [];
          if (atNextItem && it.sep && !it.value) {
            const nl = [];
            for (let i = 0; i < it.sep.length; ++i) {
              const st = it.sep[i];
              switch (st.type) {
                case "newline":
                  nl.push(i);
                  break;
                case "space":
                  break;
                case "comment":
                  if (st.indent > map.indent)
                    nl.length = 0;
                  break;
                default:
                  nl.length = 0;
              }
            }
            if (nl.length >= 2)
              start = it.sep.splice(nl[1]);
          }
          switch (this.type) {
            case "anchor":
            case "tag":
              if (atNextItem || it.value) {
                start.push(this.sourceToken);
                map.items.push({ start });
                this.onKeyLine = true;
              } else if (it.sep) {
                it.sep.push(this.sourceToken);
              } else {
                it.start.push(this.sourceToken);
              }
              return;
            case "explicit-key-ind":
              if (!it.sep && !it.explicitKey) {
                it.start.push(this.sourceToken);
                it.explicitKey = true;
              } else if (atNextItem || it.value) {
                start.push(this.sourceToken);
                map.items.push({ start, explicitKey: true });
              } else {
                this.stack.push({
                  type: "block-map",
                  offset: this.offset,
                  indent: this.indent,
                  items: [{ start: [this.sourceToken], explicitKey: true }]
                });
              }
              this.onKeyLine = true;
              return;
            case "map-value-ind":
              if (it.explicitKey) {
                if (!it.sep) {
                  if (includesToken(it.start, "newline")) {
                    Object.assign(it, { key: null, sep: [this.sourceToken] });
                  } else {
                    const start2 = getFirstKeyStartProps(it.start);
                    this.stack.push({
                      type: "block-map",
                      offset: this.offset,
                      indent: this.indent,
                      items: [{ start: start2, key: null, sep: [this.sourceToken] }]
                    });
                  }
                } else if (it.value) {
                  map.items.push({ start: [], key: null, sep: [this.sourceToken] });
                } else if (includesToken(it.sep, "map-value-ind")) {
                  this.stack.push({
                    type: "block-map",
                    offset: this.offset,
                    indent: this.indent,
                    items: [{ start, key: null, sep: [this.sourceToken] }]
                  });
                } else if (isFlowToken(it.key) && !includesToken(it.sep, "newline")) {
                  const start2 = getFirstKeyStartProps(it.start);
                  const key = it.key;
                  const sep = it.sep;
                  sep.push(this.sourceToken);
                  delete it.key;
                  delete it.sep;
                  this.stack.push({
                    type: "block-map",
                    offset: this.offset,
                    indent: this.indent,
                    items: [{ start: start2, key, sep }]
                  });
                } else if (start.length > 0) {
                  it.sep = it.sep.concat(start, this.sourceToken);
                } else {
                  it.sep.push(this.sourceToken);
                }
              } else {
                if (!it.sep) {
                  Object.assign(it, { key: null, sep: [this.sourceToken] });
                } else if (it.value || atNextItem) {
                  map.items.push({ start, key: null, sep: [this.sourceToken] });
                } else if (includesToken(it.sep, "map-value-ind")) {
                  this.stack.push({
                    type: "block-map",
                    offset: this.offset,
                    indent: this.indent,
                    items: [{ start: [], key: null, sep: [this.sourceToken] }]
                  });
                } else {
                  it.sep.push(this.sourceToken);
                }
              }
              this.onKeyLine = true;
              return;
            case "alias":
            case "scalar":
            case "single-quoted-scalar":
            case "double-quoted-scalar": {
              const fs = this.flowScalar(this.type);
              if (atNextItem || it.value) {
                map.items.push({ start, key: fs, sep: [] });
                this.onKeyLine = true;
              } else if (it.sep) {
                this.stack.push(fs);
              } else {
                Object.assign(it, { key: fs, sep: [] });
                this.onKeyLine = true;
              }
              return;
            }
            default: {
              const bv = this.startBlockValue(map);
              if (bv) {
                if (bv.type === "block-seq") {
                  if (!it.explicitKey && it.sep && !includesToken(it.sep, "newline")) {
                    yield* this.pop({
                      type: "error",
                      offset: this.offset,
                      message: "Unexpected block-seq-ind on same line with key",
                      source: this.source
                    });
                    return;
                  }
                } else if (atMapIndent) {
                  map.items.push({ start });
                }
                this.stack.push(bv);
                return;
              }
            }
          }
        }
        yield* this.pop();
        yield* this.step();
      }
      *blockSequence(seq) {
        const it = seq.items[seq.items.length - 1];
        switch (this.type) {
          case "newline":
            if (it.value) {
              const end = "end" in it.value ? it.value.end : void 0;
              const last = Array.isArray(end) ? end[end.length - 1] : void 0;
              if (last?.type === "comment")
                end?.push(this.sourceToken);
              else
                seq.items.push({ start: [this.sourceToken] });
            } else
              it.start.push(this.sourceToken);
            return;
          case "space":
          case "comment":
            if (it.value)
              seq.items.push({ start: [this.sourceToken] });
            else {
              if (this.atIndentedComment(it.start, seq.indent)) {
                const prev = seq.items[seq.items.length - 2];
                const end = prev?.value?.end;
                if (Array.isArray(end)) {
                  arrayPushArray(end, it.start);
                  end.push(this.sourceToken);
                  seq.items.pop();
                  return;
                }
              }
              it.start.push(this.sourceToken);
            }
            return;
          case "anchor":
          case "tag":
            if (it.value || this.indent <= seq.indent)
              break;
            it.start.push(this.sourceToken);
            return;
          case "seq-item-ind":
            if (this.indent !== seq.indent)
              break;
            if (it.value || includesToken(it.start, "seq-item-ind"))
              seq.items.push({ start: [this.sourceToken] });
            else
              it.start.push(this.sourceToken);
            return;
        }
        if (this.indent > seq.indent) {
          const bv = this.startBlockValue(seq);
          if (bv) {
            this.stack.push(bv);
            return;
          }
        }
        yield* this.pop();
        yield* this.step();
      }
      *flowCollection(fc) {
        const it = fc.items[fc.items.length - 1];
        if (this.type === "flow-error-end") {
          let top;
          do {
            yield* this.pop();
            top = this.peek(1);
          } while (top?.type === "flow-collection");
        } else if (fc.end.length === 0) {
          switch (this.type) {
            case "comma":
            case "explicit-key-ind":
              if (!it || it.sep)
                fc.items.push({ start: [this.sourceToken] });
              else
                it.start.push(this.sourceToken);
              return;
            case "map-value-ind":
              if (!it || it.value)
                fc.items.push({ start: [], key: null, sep: [this.sourceToken] });
              else if (it.sep)
                it.sep.push(this.sourceToken);
              else
                Object.assign(it, { key: null, sep: [this.sourceToken] });
              return;
            case "space":
            case "comment":
            case "newline":
            case "anchor":
            case "tag":
              if (!it || it.value)
                fc.items.push({ start: [this.sourceToken] });
              else if (it.sep)
                it.sep.push(this.sourceToken);
              else
                it.start.push(this.sourceToken);
              return;
            case "alias":
            case "scalar":
            case "single-quoted-scalar":
            case "double-quoted-scalar": {
              const fs = this.flowScalar(this.type);
              if (!it || it.value)
                fc.items.push({ start: [], key: fs, sep: [] });
              else if (it.sep)
                this.stack.push(fs);
              else
                Object.assign(it, { key: fs, sep: [] });
              return;
            }
            case "flow-map-end":
            case "flow-seq-end":
              fc.end.push(this.sourceToken);
              return;
          }
          const bv = this.startBlockValue(fc);
          if (bv)
            this.stack.push(bv);
          else {
            yield* this.pop();
            yield* this.step();
          }
        } else {
          const parent = this.peek(2);
          if (parent.type === "block-map" && (this.type === "map-value-ind" && parent.indent === fc.indent || this.type === "newline" && !parent.items[parent.items.length - 1].sep)) {
            yield* this.pop();
            yield* this.step();
          } else if (this.type === "map-value-ind" && parent.type !== "flow-collection") {
            const prev = getPrevProps(parent);
            const start = getFirstKeyStartProps(prev);
            fixFlowSeqItems(fc);
            const sep = fc.end.splice(1, fc.end.length);
            sep.push(this.sourceToken);
            const map = {
              type: "block-map",
              offset: fc.offset,
              indent: fc.indent,
              items: [{ start, key: fc, sep }]
            };
            this.onKeyLine = true;
            this.stack[this.stack.length - 1] = map;
          } else {
            yield* this.lineEnd(fc);
          }
        }
      }
      flowScalar(type) {
        if (this.onNewLine) {
          let nl = this.source.indexOf("\n") + 1;
          while (nl !== 0) {
            this.onNewLine(this.offset + nl);
            nl = this.source.indexOf("\n", nl) + 1;
          }
        }
        return {
          type,
          offset: this.offset,
          indent: this.indent,
          source: this.source
        };
      }
      startBlockValue(parent) {
        switch (this.type) {
          case "alias":
          case "scalar":
          case "single-quoted-scalar":
          case "double-quoted-scalar":
            return this.flowScalar(this.type);
          case "block-scalar-header":
            return {
              type: "block-scalar",
              offset: this.offset,
              indent: this.indent,
              props: [this.sourceToken],
              source: ""
            };
          case "flow-map-start":
          case "flow-seq-start":
            return {
              type: "flow-collection",
              offset: this.offset,
              indent: this.indent,
              start: this.sourceToken,
              items: [],
              end: []
            };
          case "seq-item-ind":
            return {
              type: "block-seq",
              offset: this.offset,
              indent: this.indent,
              items: [{ start: [this.sourceToken] }]
            };
          case "explicit-key-ind": {
            this.onKeyLine = true;
            const prev = getPrevProps(parent);
            const start = getFirstKeyStartProps(prev);
            start.push(this.sourceToken);
            return {
              type: "block-map",
              offset: this.offset,
              indent: this.indent,
              items: [{ start, explicitKey: true }]
            };
          }
          case "map-value-ind": {
            this.onKeyLine = true;
            const prev = getPrevProps(parent);
            const start = getFirstKeyStartProps(prev);
            return {
              type: "block-map",
              offset: this.offset,
              indent: this.indent,
              items: [{ start, key: null, sep: [this.sourceToken] }]
            };
          }
        }
        return null;
      }
      atIndentedComment(start, indent) {
        if (this.type !== "comment")
          return false;
        if (this.indent <= indent)
          return false;
        return start.every((st) => st.type === "newline" || st.type === "space");
      }
      *documentEnd(docEnd) {
        if (this.type !== "doc-mode") {
          if (docEnd.end)
            docEnd.end.push(this.sourceToken);
          else
            docEnd.end = [this.sourceToken];
          if (this.type === "newline")
            yield* this.pop();
        }
      }
      *lineEnd(token) {
        switch (this.type) {
          case "comma":
          case "doc-start":
          case "doc-end":
          case "flow-seq-end":
          case "flow-map-end":
          case "map-value-ind":
            yield* this.pop();
            yield* this.step();
            break;
          case "newline":
            this.onKeyLine = false;
          // fallthrough
          case "space":
          case "comment":
          default:
            if (token.end)
              token.end.push(this.sourceToken);
            else
              token.end = [this.sourceToken];
            if (this.type === "newline")
              yield* this.pop();
        }
      }
    };
    exports2.Parser = Parser;
  }
});

// node_modules/yaml/dist/public-api.js
var require_public_api = __commonJS({
  "node_modules/yaml/dist/public-api.js"(exports2) {
    "use strict";
    var composer = require_composer();
    var Document = require_Document();
    var errors = require_errors();
    var log = require_log();
    var identity = require_identity();
    var lineCounter = require_line_counter();
    var parser = require_parser();
    function parseOptions(options) {
      const prettyErrors = options.prettyErrors !== false;
      const lineCounter$1 = options.lineCounter || prettyErrors && new lineCounter.LineCounter() || null;
      return { lineCounter: lineCounter$1, prettyErrors };
    }
    function parseAllDocuments(source, options = {}) {
      const { lineCounter: lineCounter2, prettyErrors } = parseOptions(options);
      const parser$1 = new parser.Parser(lineCounter2?.addNewLine);
      const composer$1 = new composer.Composer(options);
      const docs = Array.from(composer$1.compose(parser$1.parse(source)));
      if (prettyErrors && lineCounter2)
        for (const doc of docs) {
          doc.errors.forEach(errors.prettifyError(source, lineCounter2));
          doc.warnings.forEach(errors.prettifyError(source, lineCounter2));
        }
      if (docs.length > 0)
        return docs;
      return Object.assign([], { empty: true }, composer$1.streamInfo());
    }
    function parseDocument(source, options = {}) {
      const { lineCounter: lineCounter2, prettyErrors } = parseOptions(options);
      const parser$1 = new parser.Parser(lineCounter2?.addNewLine);
      const composer$1 = new composer.Composer(options);
      let doc = null;
      for (const _doc of composer$1.compose(parser$1.parse(source), true, source.length)) {
        if (!doc)
          doc = _doc;
        else if (doc.options.logLevel !== "silent") {
          doc.errors.push(new errors.YAMLParseError(_doc.range.slice(0, 2), "MULTIPLE_DOCS", "Source contains multiple documents; please use YAML.parseAllDocuments()"));
          break;
        }
      }
      if (prettyErrors && lineCounter2) {
        doc.errors.forEach(errors.prettifyError(source, lineCounter2));
        doc.warnings.forEach(errors.prettifyError(source, lineCounter2));
      }
      return doc;
    }
    function parse2(src, reviver, options) {
      let _reviver = void 0;
      if (typeof reviver === "function") {
        _reviver = reviver;
      } else if (options === void 0 && reviver && typeof reviver === "object") {
        options = reviver;
      }
      const doc = parseDocument(src, options);
      if (!doc)
        return null;
      doc.warnings.forEach((warning) => log.warn(doc.options.logLevel, warning));
      if (doc.errors.length > 0) {
        if (doc.options.logLevel !== "silent")
          throw doc.errors[0];
        else
          doc.errors = [];
      }
      return doc.toJS(Object.assign({ reviver: _reviver }, options));
    }
    function stringify(value, replacer, options) {
      let _replacer = null;
      if (typeof replacer === "function" || Array.isArray(replacer)) {
        _replacer = replacer;
      } else if (options === void 0 && replacer) {
        options = replacer;
      }
      if (typeof options === "string")
        options = options.length;
      if (typeof options === "number") {
        const indent = Math.round(options);
        options = indent < 1 ? void 0 : indent > 8 ? { indent: 8 } : { indent };
      }
      if (value === void 0) {
        const { keepUndefined } = options ?? replacer ?? {};
        if (!keepUndefined)
          return void 0;
      }
      if (identity.isDocument(value) && !_replacer)
        return value.toString(options);
      return new Document.Document(value, _replacer, options).toString(options);
    }
    exports2.parse = parse2;
    exports2.parseAllDocuments = parseAllDocuments;
    exports2.parseDocument = parseDocument;
    exports2.stringify = stringify;
  }
});

// node_modules/yaml/dist/index.js
var require_dist = __commonJS({
  "node_modules/yaml/dist/index.js"(exports2) {
    "use strict";
    var composer = require_composer();
    var Document = require_Document();
    var Schema = require_Schema();
    var errors = require_errors();
    var Alias = require_Alias();
    var identity = require_identity();
    var Pair = require_Pair();
    var Scalar = require_Scalar();
    var YAMLMap = require_YAMLMap();
    var YAMLSeq = require_YAMLSeq();
    var cst = require_cst();
    var lexer = require_lexer();
    var lineCounter = require_line_counter();
    var parser = require_parser();
    var publicApi = require_public_api();
    var visit = require_visit();
    exports2.Composer = composer.Composer;
    exports2.Document = Document.Document;
    exports2.Schema = Schema.Schema;
    exports2.YAMLError = errors.YAMLError;
    exports2.YAMLParseError = errors.YAMLParseError;
    exports2.YAMLWarning = errors.YAMLWarning;
    exports2.Alias = Alias.Alias;
    exports2.isAlias = identity.isAlias;
    exports2.isCollection = identity.isCollection;
    exports2.isDocument = identity.isDocument;
    exports2.isMap = identity.isMap;
    exports2.isNode = identity.isNode;
    exports2.isPair = identity.isPair;
    exports2.isScalar = identity.isScalar;
    exports2.isSeq = identity.isSeq;
    exports2.Pair = Pair.Pair;
    exports2.Scalar = Scalar.Scalar;
    exports2.YAMLMap = YAMLMap.YAMLMap;
    exports2.YAMLSeq = YAMLSeq.YAMLSeq;
    exports2.CST = cst;
    exports2.Lexer = lexer.Lexer;
    exports2.LineCounter = lineCounter.LineCounter;
    exports2.Parser = parser.Parser;
    exports2.parse = publicApi.parse;
    exports2.parseAllDocuments = publicApi.parseAllDocuments;
    exports2.parseDocument = publicApi.parseDocument;
    exports2.stringify = publicApi.stringify;
    exports2.visit = visit.visit;
    exports2.visitAsync = visit.visitAsync;
  }
});

// .replay-check-27114.ts
var import_node_fs2 = require("node:fs");

// schemas/evidence.schema.json
var evidence_schema_default = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "https://assessment-api-conformance.example/schemas/evidence.schema.json",
  title: "Evidence of a run",
  description: "What `evidence.har` says so that a run can be judged again. It is HAR 1.2: members with a `_` are the suite's own, and members of HAR that are not described here are there for other programs. What a run leaves that did not begin does not fit.",
  type: "object",
  required: ["log"],
  properties: {
    log: {
      title: "Log",
      description: "The run, and everything that it sent and received.",
      $ref: "#/$defs/har",
      type: "object",
      required: ["_target", "_startedAtEpochMs", "_notSent", "_triggers", "_durationMs", "_waitedMs", "_error"],
      properties: {
        _target: { $ref: "#/$defs/target" },
        _startedAtEpochMs: {
          title: "Start",
          description: "When the run began, in milliseconds since the epoch; no later than the year 2999.",
          type: "number",
          minimum: 0,
          exclusiveMaximum: 3250368e7,
          examples: [17951688e5]
        },
        _notSent: {
          title: "Not sent",
          description: "Probes that could not be sent.",
          type: "array",
          maxItems: 5e4,
          items: { $ref: "#/$defs/notSent" },
          examples: [
            [
              {
                probe: "recovery/with-password/1",
                reason: "no request of the burst was refused, so there was nothing to recover from"
              }
            ]
          ]
        },
        _triggers: {
          title: "Triggers",
          description: "Calls of the command that makes the service send notifications.",
          type: "array",
          maxItems: 1e3,
          items: { $ref: "#/$defs/trigger" },
          examples: [
            [
              {
                kind: "start",
                account: "with-password",
                enabled: true,
                startedAtMs: 12e3,
                endedAtMs: 12900,
                watchedUntilMs: 15900,
                failure: null
              }
            ]
          ]
        },
        _durationMs: {
          title: "Duration",
          description: "Milliseconds that the run took.",
          type: "number",
          minimum: 0,
          examples: [9100]
        },
        _waitedMs: {
          title: "Waited",
          description: "Milliseconds that the run spent only on waiting for windows of the rate limit.",
          type: "number",
          minimum: 0,
          examples: [7900]
        },
        _error: {
          title: "Error",
          description: "Why the run could not be done, in one sentence; null where it could.",
          type: ["string", "null"],
          minLength: 1,
          examples: [null, "Nothing answers at https://staging.acme.example/api/v2: the connection is refused."]
        }
      },
      examples: [
        {
          version: "1.2",
          creator: { name: "assessment-api-conformance", version: "1.0.0" },
          _target: {
            name: "Acme Assessments 4.2",
            baseURL: "https://staging.acme.example/api/v2",
            embedded: false,
            accounts: [{ name: "with-password", passwordDeclared: true, hasPassword: true }],
            rate: { requests: 1, seconds: 1 },
            riskyProbes: false,
            limits: { timeoutSeconds: 10, bodyBytes: 1048576, burst: 10 },
            waivers: [{ clause: "rate.refusal-429", reason: "TICKET-12", until: "2027-01-31" }],
            notifications: { accounts: ["with-password"], waitSeconds: 3 }
          },
          _startedAtEpochMs: 17951688e5,
          _notSent: [],
          _triggers: [],
          _durationMs: 16e3,
          _waitedMs: 7900,
          _error: null,
          entries: []
        }
      ]
    }
  },
  $defs: {
    har: {
      title: "HAR",
      description: "The members of a HAR log. They are a definition of their own, so that a validator checks first whether a file is a HAR of this suite.",
      type: "object",
      required: ["version", "creator", "entries"],
      properties: {
        version: {
          title: "Version",
          description: "Version of HAR.",
          const: "1.2",
          examples: ["1.2"]
        },
        creator: {
          title: "Suite",
          description: "The program that recorded the run.",
          type: "object",
          required: ["name", "version"],
          properties: {
            name: {
              title: "Name",
              description: "Name of the suite.",
              const: "assessment-api-conformance",
              examples: ["assessment-api-conformance"]
            },
            version: {
              title: "Version",
              description: "Version of the suite.",
              type: "string",
              minLength: 1,
              examples: ["1.0.0"]
            }
          },
          examples: [{ name: "assessment-api-conformance", version: "1.0.0" }]
        },
        entries: {
          title: "Entries",
          description: "Exchanges and deliveries in order, so that results can refer to them by number, counted from 0.",
          type: "array",
          maxItems: 21100,
          items: { $ref: "#/$defs/entry" },
          examples: [
            [
              {
                startedDateTime: "2026-11-20T10:00:00.012Z",
                request: {
                  method: "GET",
                  url: "https://staging.acme.example/api/v2/webhooks",
                  headers: [{ name: "apiKey", value: "[secret:apiKey:with-password]" }]
                },
                response: {
                  status: 200,
                  statusText: "OK",
                  headers: [{ name: "Content-Type", value: "application/json" }],
                  content: { text: '{"webhook":{}}' }
                },
                connection: "1",
                _probe: "read/with-password/1",
                _account: "with-password",
                _sentAtMs: 12.5,
                _receivedAtMs: 15.25,
                _fault: null,
                _answered: true
              }
            ]
          ]
        }
      },
      examples: [
        { version: "1.2", creator: { name: "assessment-api-conformance", version: "1.0.0" }, entries: [] }
      ]
    },
    target: {
      title: "Target",
      description: "What was known of the server before the run, as far as judging needs it, without secrets.",
      type: "object",
      required: [
        "name",
        "baseURL",
        "embedded",
        "accounts",
        "rate",
        "riskyProbes",
        "limits",
        "waivers",
        "notifications"
      ],
      properties: {
        name: {
          title: "Name",
          description: "Name of the server in reports.",
          type: "string",
          minLength: 1,
          examples: ["Acme Assessments 4.2"]
        },
        vendor: {
          title: "Vendor",
          description: "Who makes the server, as declared.",
          type: "string",
          minLength: 1,
          examples: ["Acme"]
        },
        product: {
          title: "Product",
          description: "What the server is called, as declared.",
          type: "string",
          minLength: 1,
          examples: ["Acme Assessments"]
        },
        version: {
          title: "Version",
          description: "Which version of it is judged, as declared.",
          type: "string",
          minLength: 1,
          examples: ["4.2"]
        },
        insecureTls: {
          title: "Unverified TLS",
          description: "There only where the certificate of the server was not verified.",
          const: true,
          examples: [true]
        },
        baseURL: {
          title: "Base URL",
          description: "Address of the API.",
          type: "string",
          examples: ["https://staging.acme.example/api/v2"]
        },
        embedded: {
          title: "Embedded",
          description: "Whether the target is the suite's own reference server.",
          type: "boolean",
          examples: [false]
        },
        accounts: {
          title: "Accounts",
          description: "The accounts whose keys were used.",
          type: "array",
          maxItems: 100,
          minItems: 1,
          items: { $ref: "#/$defs/account" },
          examples: [[{ name: "with-password", passwordDeclared: true, hasPassword: true }]]
        },
        rate: {
          title: "Rate limit",
          description: "The rate limit to judge by, for each user.",
          type: "object",
          required: ["requests", "seconds"],
          properties: {
            requests: {
              title: "Requests",
              description: "The number of requests that a window accepts.",
              type: "integer",
              minimum: 1,
              maximum: 1e5,
              examples: [1]
            },
            seconds: {
              title: "Seconds",
              description: "Length of the window in seconds.",
              type: "number",
              minimum: 0.01,
              maximum: 86400,
              examples: [1]
            }
          },
          examples: [{ requests: 1, seconds: 1 }]
        },
        riskyProbes: {
          title: "Risky probes",
          description: "Whether requests were sent that a broken server might act on or log.",
          type: "boolean",
          examples: [false]
        },
        limits: {
          title: "Limits of the run",
          description: "The time and the size allowed for a response, and the size of a burst.",
          type: "object",
          required: ["timeoutSeconds", "bodyBytes", "burst"],
          properties: {
            timeoutSeconds: {
              title: "Timeout",
              description: "Seconds allowed for a request and its response.",
              type: "number",
              examples: [10]
            },
            bodyBytes: {
              title: "Body size",
              description: "Bytes allowed for a response body after decompression.",
              type: "number",
              examples: [1048576]
            },
            burst: {
              title: "Burst",
              description: "The number of requests in a burst.",
              type: "number",
              examples: [10]
            }
          },
          examples: [{ timeoutSeconds: 10, bodyBytes: 1048576, burst: 10 }]
        },
        waivers: {
          title: "Waivers",
          description: "Clauses whose failure was known when the run was recorded.",
          type: "array",
          maxItems: 1e3,
          items: { $ref: "#/$defs/waiver" },
          examples: [[{ clause: "rate.refusal-429", reason: "TICKET-12", until: "2027-01-31" }]]
        },
        variables: {
          title: "Variables",
          description: "Names of the environment variables that hold secrets, by kind and name of their markers; never a value.",
          type: "object",
          additionalProperties: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]*$", maxLength: 200 },
          examples: [{ "apiKey:with-password": "ACME_KEY_1", "header:X-Staging-Gate": "GATE" }]
        },
        notifications: {
          title: "Notifications",
          description: "The accounts whose notifications were waited for, and how long; null where the event profile was off.",
          type: ["object", "null"],
          required: ["accounts", "waitSeconds"],
          properties: {
            accounts: {
              title: "Accounts",
              description: "Names of the accounts whose notifications are judged.",
              type: "array",
              maxItems: 100,
              items: {
                type: "string",
                minLength: 1
              },
              examples: [["with-password"]]
            },
            waitSeconds: {
              title: "Wait",
              description: "Seconds in which a notification had to arrive.",
              type: "number",
              examples: [3]
            }
          },
          examples: [{ accounts: ["with-password"], waitSeconds: 3 }, null]
        }
      },
      examples: [
        {
          name: "Acme Assessments 4.2",
          baseURL: "https://staging.acme.example/api/v2",
          embedded: false,
          accounts: [{ name: "with-password", passwordDeclared: true, hasPassword: true }],
          rate: { requests: 1, seconds: 1 },
          riskyProbes: false,
          limits: { timeoutSeconds: 10, bodyBytes: 1048576, burst: 10 },
          waivers: [{ clause: "rate.refusal-429", reason: "TICKET-12", until: "2027-01-31" }],
          notifications: { accounts: ["with-password"], waitSeconds: 3 }
        }
      ]
    },
    account: {
      title: "Account",
      description: "What was declared of an account, without its secrets.",
      type: "object",
      required: ["name", "passwordDeclared"],
      properties: {
        name: {
          title: "Name",
          description: "Name of the account in results and markers.",
          type: "string",
          minLength: 1,
          examples: ["with-password"]
        },
        hasPassword: {
          title: "Password stored",
          description: "Whether the account is declared to have a password stored; absent where that was not declared.",
          type: "boolean",
          examples: [true]
        },
        passwordDeclared: {
          title: "Password declared",
          description: "Whether `password` was declared, so that responses could be searched for it.",
          type: "boolean",
          examples: [true]
        },
        settings: {
          title: "Configured settings",
          description: "Any part of the `webhook` object, with markers for secrets.",
          type: "object",
          examples: [{ auth: { type: "basic" } }]
        }
      },
      examples: [{ name: "with-password", passwordDeclared: true, hasPassword: true }]
    },
    waiver: {
      title: "Waiver",
      description: "A clause whose failure was known and accepted.",
      type: "object",
      required: ["clause", "reason"],
      properties: {
        clause: {
          title: "Clause",
          description: "Id of the clause.",
          type: "string",
          minLength: 1,
          examples: ["rate.refusal-429"]
        },
        reason: {
          title: "Reason",
          description: "Why the failure was accepted.",
          type: "string",
          minLength: 1,
          examples: ["TICKET-12"]
        },
        until: {
          title: "Last day",
          description: "The last day on which the waiver holds, as year-month-day.",
          type: "string",
          format: "date",
          examples: ["2027-01-31"]
        }
      },
      examples: [{ clause: "rate.refusal-429", reason: "TICKET-12", until: "2027-01-31" }]
    },
    notSent: {
      title: "Probe not sent",
      description: "A probe that could not be sent.",
      type: "object",
      required: ["probe", "reason"],
      properties: {
        probe: {
          title: "Probe",
          description: "Name of the probe.",
          type: "string",
          minLength: 1,
          examples: ["recovery/with-password/1"]
        },
        reason: {
          title: "Reason",
          description: "Why it was not sent, in words that a person can act on.",
          type: "string",
          minLength: 1,
          examples: ["no request of the burst was refused, so there was nothing to recover from"]
        }
      },
      examples: [
        {
          probe: "recovery/with-password/1",
          reason: "no request of the burst was refused, so there was nothing to recover from"
        }
      ]
    },
    trigger: {
      title: "Trigger",
      description: "One call of the command that makes the service send a notification.",
      type: "object",
      required: ["kind", "account", "enabled", "startedAtMs", "endedAtMs", "watchedUntilMs", "failure"],
      properties: {
        kind: {
          title: "Kind",
          description: "Kind of the notification.",
          enum: ["start", "submission", "updates"],
          examples: ["start"]
        },
        account: {
          title: "Account",
          description: "The account of the notification.",
          type: "string",
          minLength: 1,
          examples: ["with-password"]
        },
        enabled: {
          title: "Enabled",
          description: "Whether the kind was switched on, by the settings that the API had served before.",
          type: "boolean",
          examples: [true]
        },
        checkedAtMs: {
          title: "Checked",
          description: "When the suite's own request to the url of the kind had arrived at the receiver, before anything was triggered. Left out: it is not known whether the url leads there.",
          $ref: "#/$defs/moment"
        },
        startedAtMs: {
          title: "Started",
          description: "When the command was called.",
          $ref: "#/$defs/moment"
        },
        endedAtMs: {
          title: "Ended",
          description: "When it had ended.",
          $ref: "#/$defs/moment"
        },
        watchedUntilMs: {
          title: "Watched",
          description: "Until when notifications were waited for.",
          $ref: "#/$defs/moment"
        },
        heldUpMs: {
          title: "Held up",
          description: "How many milliseconds of the wait the suite's own process was held up by a busy machine: what came so much later was still in time. Left out: 0.",
          type: "number",
          minimum: 0,
          examples: [0, 1800]
        },
        failure: {
          title: "Failure",
          description: "Why the command failed, in one sentence; null where it did not fail.",
          type: ["string", "null"],
          minLength: 1,
          examples: [null, "It ended with status 1."]
        }
      },
      examples: [
        {
          kind: "start",
          account: "with-password",
          enabled: true,
          startedAtMs: 12e3,
          endedAtMs: 12900,
          watchedUntilMs: 15900,
          failure: null
        }
      ]
    },
    entry: {
      title: "Entry",
      description: "An exchange with the server, or a notification if it has `_delivery`.",
      type: "object",
      required: [
        "startedDateTime",
        "request",
        "response",
        "connection",
        "_probe",
        "_account",
        "_sentAtMs",
        "_receivedAtMs",
        "_fault",
        "_answered"
      ],
      properties: {
        startedDateTime: {
          title: "Start",
          description: "`_sentAtMs` on the wall clock.",
          type: "string",
          format: "date-time",
          examples: ["2026-11-20T10:00:00.012Z"]
        },
        request: { $ref: "#/$defs/request" },
        response: { $ref: "#/$defs/response" },
        connection: {
          title: "Connection",
          description: "Exchanges with the same number went over the same connection. Empty in a delivery.",
          type: "string",
          pattern: "^[0-9]{0,9}$",
          examples: ["1", ""]
        },
        _probe: {
          title: "Probe",
          description: "Name of the probe that was sent.",
          type: "string",
          examples: ["read/with-password/1"]
        },
        _account: {
          title: "Account",
          description: "The account whose valid key was in the `apiKey` header; null for a request that must be rejected.",
          type: ["string", "null"],
          examples: ["with-password", null]
        },
        _sentAtMs: {
          title: "Sent",
          description: "Just before the first byte was written.",
          $ref: "#/$defs/moment"
        },
        _receivedAtMs: {
          title: "Received",
          description: "Just after the last byte, or the fault, arrived; not before `_sentAtMs`.",
          $ref: "#/$defs/moment"
        },
        _fault: { $ref: "#/$defs/fault" },
        _answered: {
          title: "Answered",
          description: "Whether a status line and headers arrived. A fault may still follow them.",
          type: "boolean",
          examples: [true]
        },
        _resent: {
          title: "Resent",
          description: "Present only where the request was sent twice, because the server had closed the connection.",
          const: true,
          examples: [true]
        },
        _delivery: {
          title: "Delivery",
          description: "Present only where the entry is a notification.",
          const: true,
          examples: [true]
        }
      },
      allOf: [
        {
          description: "A delivery has members of its own.",
          if: {
            properties: {
              _delivery: {
                const: true
              }
            },
            required: ["_delivery"]
          },
          then: { $ref: "#/$defs/delivery" }
        },
        {
          description: "An exchange with a response has a status.",
          if: {
            properties: {
              _answered: {
                const: true
              }
            },
            required: ["_answered"]
          },
          then: {
            properties: {
              response: {
                type: "object",
                properties: {
                  status: {
                    type: "integer",
                    minimum: 100
                  }
                }
              }
            }
          }
        },
        {
          description: "An exchange without a response has a fault.",
          if: {
            properties: {
              _answered: {
                const: false
              }
            },
            required: ["_answered"]
          },
          then: {
            properties: {
              _fault: {
                type: "object"
              }
            }
          }
        }
      ],
      examples: [
        {
          startedDateTime: "2026-11-20T10:00:00.012Z",
          request: {
            method: "GET",
            url: "https://staging.acme.example/api/v2/webhooks",
            headers: [{ name: "apiKey", value: "[secret:apiKey:with-password]" }]
          },
          response: {
            status: 200,
            statusText: "OK",
            headers: [{ name: "Content-Type", value: "application/json" }],
            content: { text: '{"webhook":{}}' }
          },
          connection: "1",
          _probe: "read/with-password/1",
          _account: "with-password",
          _sentAtMs: 12.5,
          _receivedAtMs: 15.25,
          _fault: null,
          _answered: true
        },
        {
          startedDateTime: "2026-11-20T10:00:13.000Z",
          request: {
            method: "POST",
            url: "http://receiver.invalid/start",
            headers: [{ name: "Authorization", value: "Basic [secret:password:with-password]" }],
            postData: { text: "{}" }
          },
          response: { status: 200, statusText: "OK", headers: [], content: { text: "" } },
          connection: "",
          _probe: "delivery",
          _account: null,
          _sentAtMs: 13e3,
          _receivedAtMs: 13e3,
          _fault: null,
          _answered: true,
          _delivery: true,
          _path: "/start",
          _truncated: false,
          _basic: [{ username: "alice", password: "[secret:password:with-password]" }]
        }
      ]
    },
    delivery: {
      title: "Delivery",
      description: "More members of an entry that is a notification. The suite's own receiver answered it.",
      type: "object",
      required: ["request", "_path", "_truncated", "_basic"],
      properties: {
        request: {
          title: "Request",
          description: "What the service sent; its URL is on a host that stands for the receiver.",
          type: "object",
          required: ["postData"],
          properties: {
            postData: { $ref: "#/$defs/postData" }
          },
          examples: [
            {
              method: "POST",
              url: "http://receiver.invalid/start",
              headers: [{ name: "Authorization", value: "Basic [secret:password:with-password]" }],
              postData: { text: "{}" }
            }
          ]
        },
        _path: {
          title: "Path",
          description: "Path and query, as they came.",
          type: "string",
          examples: ["/start"]
        },
        _truncated: {
          title: "Truncated",
          description: "Whether more of the body came than is kept, or it ended too early.",
          type: "boolean",
          examples: [false]
        },
        _basic: {
          title: "Basic credentials",
          description: "Its Basic credentials, split in every possible way; empty without `Authorization: Basic`.",
          type: "array",
          maxItems: 16,
          items: { $ref: "#/$defs/basicCredentials" },
          examples: [[{ username: "alice", password: "[secret:password:with-password]" }], []]
        }
      },
      examples: [
        {
          startedDateTime: "2026-11-20T10:00:13.000Z",
          request: {
            method: "POST",
            url: "http://receiver.invalid/start",
            headers: [{ name: "Authorization", value: "Basic [secret:password:with-password]" }],
            postData: { text: "{}" }
          },
          response: { status: 200, statusText: "OK", headers: [], content: { text: "" } },
          connection: "",
          _probe: "delivery",
          _account: null,
          _sentAtMs: 13e3,
          _receivedAtMs: 13e3,
          _fault: null,
          _answered: true,
          _delivery: true,
          _path: "/start",
          _truncated: false,
          _basic: [{ username: "alice", password: "[secret:password:with-password]" }]
        }
      ]
    },
    request: {
      title: "Request",
      description: "The request.",
      type: "object",
      required: ["method", "url", "headers"],
      properties: {
        method: {
          title: "Method",
          description: "Method of the request.",
          type: "string",
          examples: ["GET"]
        },
        url: {
          title: "URL",
          description: "Absolute URL, with markers for secrets.",
          type: "string",
          examples: ["https://staging.acme.example/api/v2/webhooks"]
        },
        headers: { $ref: "#/$defs/headers" },
        postData: { $ref: "#/$defs/postData" }
      },
      examples: [
        {
          method: "GET",
          url: "https://staging.acme.example/api/v2/webhooks",
          headers: [{ name: "apiKey", value: "[secret:apiKey:with-password]" }]
        }
      ]
    },
    postData: {
      title: "Body",
      description: "The body of a request of a test of the user's own, its beginning where it is long, or the payload of a notification.",
      type: "object",
      required: ["text"],
      properties: {
        text: {
          title: "Text",
          description: "The body after content decoding, with markers for secrets.",
          type: "string",
          examples: ["{}"]
        },
        _encoding: { $ref: "#/$defs/base64" }
      },
      examples: [{ text: "{}" }, { text: "/w==", _encoding: "base64" }]
    },
    response: {
      title: "Response",
      description: "The response. HAR demands one even where no response arrived: see `_answered`.",
      type: "object",
      required: ["status", "statusText", "headers", "content"],
      properties: {
        status: {
          title: "Status",
          description: "Status code; 0 where no response arrived.",
          type: "integer",
          minimum: 0,
          maximum: 999,
          examples: [200, 0]
        },
        statusText: {
          title: "Reason phrase",
          description: "The text that follows the status code.",
          type: "string",
          examples: ["OK"]
        },
        headers: { $ref: "#/$defs/headers" },
        _aside: { $ref: "#/$defs/headers" },
        content: {
          title: "Body",
          description: "The body after content decoding.",
          type: "object",
          required: ["text"],
          properties: {
            text: {
              title: "Text",
              description: "The body, with markers for secrets.",
              type: "string",
              examples: ['{"webhook":{}}']
            },
            encoding: { $ref: "#/$defs/base64" }
          },
          examples: [{ text: '{"webhook":{}}' }, { text: "/w==", encoding: "base64" }]
        }
      },
      examples: [
        {
          status: 200,
          statusText: "OK",
          headers: [{ name: "Content-Type", value: "application/json" }],
          content: { text: '{"webhook":{}}' }
        },
        { status: 0, statusText: "", headers: [], content: { text: "" } }
      ]
    },
    headers: {
      title: "Header lines",
      description: "Header lines in the order and the letter case in which they were sent, duplicates included.",
      type: "array",
      items: { $ref: "#/$defs/headerLine" },
      examples: [[{ name: "Content-Type", value: "application/json" }]]
    },
    headerLine: {
      title: "Header line",
      description: "One header line. A header that was sent on several lines has several of these.",
      type: "object",
      required: ["name", "value"],
      properties: {
        name: {
          title: "Name",
          description: "Name of the field, as it was sent.",
          type: "string",
          examples: ["Content-Type"]
        },
        value: {
          title: "Value",
          description: "Value of the field, with markers for secrets.",
          type: "string",
          examples: ["application/json", "[secret:apiKey:with-password]"]
        }
      },
      examples: [{ name: "Content-Type", value: "application/json" }]
    },
    base64: {
      title: "Encoding",
      description: "Present only where the bytes are not UTF-8. The text is then their base64.",
      const: "base64",
      examples: ["base64"]
    },
    fault: {
      title: "Fault",
      description: "How an exchange failed below HTTP; null where it did not fail.",
      type: ["object", "null"],
      required: ["kind", "message"],
      properties: {
        kind: {
          title: "Kind",
          description: "`unreachable`: no connection could be opened. All other faults are the server's.",
          enum: ["unreachable", "timeout", "reset", "truncated", "too-large", "malformed", "upgrade"],
          examples: ["timeout"]
        },
        message: {
          title: "Message",
          description: "What happened, in words for people.",
          type: "string",
          minLength: 1,
          examples: ["did not answer within 10 s"]
        }
      },
      examples: [null, { kind: "timeout", message: "did not answer within 10 s" }]
    },
    basicCredentials: {
      title: "Basic credentials",
      description: "One way to split Basic credentials at a colon. With several colons there are several ways.",
      type: "object",
      required: ["username", "password"],
      properties: {
        username: {
          title: "Username",
          description: "The username; null for one that no account has.",
          type: ["string", "null"],
          examples: ["alice", null]
        },
        password: {
          title: "Password",
          description: "The marker of the password, or a harmless word such as `null`.",
          type: "string",
          examples: ["[secret:password:with-password]", "null"]
        }
      },
      examples: [{ username: "alice", password: "[secret:password:with-password]" }]
    },
    moment: {
      title: "Moment",
      description: "Milliseconds since the run began, which takes a day at most.",
      type: "number",
      minimum: 0,
      maximum: 864e5,
      examples: [12.5]
    }
  },
  examples: [
    {
      log: {
        version: "1.2",
        creator: { name: "assessment-api-conformance", version: "1.0.0" },
        _target: {
          name: "Acme Assessments 4.2",
          baseURL: "https://staging.acme.example/api/v2",
          embedded: false,
          accounts: [{ name: "with-password", passwordDeclared: true, hasPassword: true }],
          rate: { requests: 1, seconds: 1 },
          riskyProbes: false,
          limits: { timeoutSeconds: 10, bodyBytes: 1048576, burst: 10 },
          waivers: [{ clause: "rate.refusal-429", reason: "TICKET-12", until: "2027-01-31" }],
          notifications: { accounts: ["with-password"], waitSeconds: 3 }
        },
        _startedAtEpochMs: 17951688e5,
        _notSent: [
          {
            probe: "recovery/with-password/1",
            reason: "no request of the burst was refused, so there was nothing to recover from"
          }
        ],
        _triggers: [
          {
            kind: "start",
            account: "with-password",
            enabled: true,
            startedAtMs: 12e3,
            endedAtMs: 12900,
            watchedUntilMs: 15900,
            failure: null
          }
        ],
        _durationMs: 16e3,
        _waitedMs: 7900,
        _error: null,
        entries: [
          {
            startedDateTime: "2026-11-20T10:00:00.012Z",
            request: {
              method: "GET",
              url: "https://staging.acme.example/api/v2/webhooks",
              headers: [{ name: "apiKey", value: "[secret:apiKey:with-password]" }]
            },
            response: {
              status: 200,
              statusText: "OK",
              headers: [{ name: "Content-Type", value: "application/json" }],
              content: { text: '{"webhook":{}}' }
            },
            connection: "1",
            _probe: "read/with-password/1",
            _account: "with-password",
            _sentAtMs: 12.5,
            _receivedAtMs: 15.25,
            _fault: null,
            _answered: true
          },
          {
            startedDateTime: "2026-11-20T10:00:01.100Z",
            request: {
              method: "GET",
              url: "https://staging.acme.example/api/v2/webhooks",
              headers: [{ name: "apiKey", value: "[secret:apiKey:with-password]" }]
            },
            response: { status: 0, statusText: "", headers: [], content: { text: "" } },
            connection: "2",
            _probe: "read/with-password/1",
            _account: "with-password",
            _sentAtMs: 1100,
            _receivedAtMs: 11100,
            _fault: { kind: "timeout", message: "did not answer within 10 s" },
            _answered: false,
            _resent: true
          },
          {
            startedDateTime: "2026-11-20T10:00:13.000Z",
            request: {
              method: "POST",
              url: "http://receiver.invalid/start",
              headers: [{ name: "Authorization", value: "Basic [secret:password:with-password]" }],
              postData: { text: "{}" }
            },
            response: { status: 200, statusText: "OK", headers: [], content: { text: "" } },
            connection: "",
            _probe: "delivery",
            _account: null,
            _sentAtMs: 13e3,
            _receivedAtMs: 13e3,
            _fault: null,
            _answered: true,
            _delivery: true,
            _path: "/start",
            _truncated: false,
            _basic: [{ username: "alice", password: "[secret:password:with-password]" }]
          }
        ]
      }
    }
  ]
};

// src/catalogue/valid-keys.ts
var withKey = (more = {}) => ({
  sends: ({ valid }, { name }) => ({
    headers: [[more.header ?? "apiKey", valid(name)]],
    ...more.path === void 0 ? {} : { path: more.path }
  })
});
var version = (segment) => ({
  sends: ({ baseURL, valid }, { name }) => /\/v2$/.test(baseURL) ? { path: `${baseURL.replace(/\/v2$/, segment)}/webhooks`, headers: [["apiKey", valid(name)]] } : null
});
var read = { "": withKey() };
var accepted = { key: "valid", answer: "accepted" };
var trial = { ...accepted, parts: ["account", "trial"], forms: read };
var limit = {
  ...trial,
  buildsOn: "read",
  sent: "limit",
  isNumbered: true,
  isAtTheLimit: true,
  takesTheRun: true
};
var validKeys = {
  /** One account right after another. */
  read: {
    ...accepted,
    parts: ["account"],
    sent: "declared",
    role: "first-read",
    isUnhurried: true,
    mayReuse: true,
    forms: read
  },
  /** All accounts at the same moment, right after a flood of wrong keys. */
  together: {
    ...trial,
    buildsOn: "read",
    sent: "open",
    role: "after-flood",
    isNumbered: true,
    isUnhurried: true,
    takesTheRun: true
  },
  "header-case": {
    ...accepted,
    parts: ["account", "form"],
    buildsOn: "read",
    sent: "dealt",
    isUnhurried: true,
    mayReuse: true,
    mayOpen: true,
    words: (_, form) => `to the valid key in a header named ${form}`,
    forms: {
      APIKEY: withKey({ header: "APIKEY" }),
      apikey: withKey({ header: "apikey" }),
      ApiKey: withKey({ header: "ApiKey" })
    }
  },
  "base-accepted": {
    ...accepted,
    parts: ["account", "form"],
    buildsOn: "read",
    sent: "dealt",
    isUnhurried: true,
    mayReuse: true,
    mayOpen: true,
    words: (account, form) => `to the valid key of ${account}${form && ` in a header named ${form}`} on the base path`,
    // Another spelling is sent where that saves a request: accepted, it shows both.
    forms: {
      "": withKey({ path: "/" }),
      APIKEY: withKey({ header: "APIKEY", path: "/" }),
      apikey: withKey({ header: "apikey", path: "/" }),
      ApiKey: withKey({ header: "ApiKey", path: "/" })
    }
  },
  /** These are rejected, so they do not show when the limit accepts again. */
  version: {
    ...accepted,
    answer: "observed",
    parts: ["account", "form"],
    buildsOn: "read",
    sent: "dealt",
    forms: { v0: version("/v0"), v999: version("/v999"), unversioned: version("") }
  },
  /** One after another without a pause, then further apart. */
  sequence: { ...limit, bursts: "one-by-one", mayReuse: true },
  /** At one moment. A sequence shows whether the server queues, and that decides the size of a burst. */
  concurrent: { ...limit, buildsOn: "sequence", bursts: "at-once" },
  /** One request as soon as the last refusal of a `concurrent` allows it. */
  recovery: { ...limit, buildsOn: "concurrent", sent: "recovering", mayBeNeedless: true },
  /** A read, and another one as soon as the first one's Reset has passed, if that is sooner than a window. */
  promise: { ...trial, buildsOn: "read", sent: "if-needed", isAtTheLimit: true },
  /** Reads, and right after them a request to the base path. */
  paths: { ...limit, buildsOn: "base-accepted", forms: { ...read, base: withKey({ path: "/" }) } },
  /** The triggers of notification kinds. They lead to deliveries, not to exchanges. */
  events: {
    answer: "observed",
    parts: [],
    buildsOn: "read",
    sent: "if-needed",
    role: "notifications",
    mayBeNeedless: true,
    takesTheRun: true,
    forms: {}
  }
};
var diagnoses = {
  /** One account while another's budget is used up, with nothing else under way. */
  neighbour: { ...trial, sent: "if-needed" },
  /** Two reads a window apart, with nothing else under way. */
  apart: { ...trial, sent: "if-needed" },
  /** A read now and then, while the valid keys of all accounts are refused after wrong keys. */
  ban: { ...trial, sent: "if-needed", role: "ban-watch" },
  /** An account whose key is not accepted. */
  account: { answer: "observed", parts: ["account"], sent: "if-needed", role: "whole-account", forms: {} },
  /** To the url of a kind, its form. Noted where the way there is closed or not known. */
  "receiver-check": {
    answer: "observed",
    parts: ["account", "form"],
    sent: "if-needed",
    role: "receiver-watch",
    mayBeNeedless: true,
    forms: {}
  },
  /** Its form is the test's title, shortened by `slugOf`. */
  own: { answer: "observed", parts: ["form"], sent: "if-needed", role: "own-test", forms: {} }
};

// src/catalogue/wrong-keys.ts
var import_node_crypto2 = require("node:crypto");

// src/catalogue/made-up-keys.ts
var import_node_crypto = require("node:crypto");
function madeUpLike(key) {
  const alphabets = ["0123456789", "abcdef", "ghijklmnopqrstuvwxyz", "ABCDEF", "GHIJKLMNOPQRSTUVWXYZ"];
  const lower = /[g-z]/.test(key) ? "abcdefghijklmnopqrstuvwxyz" : "abcdef";
  const upper = /[G-Z]/.test(key) ? "ABCDEFGHIJKLMNOPQRSTUVWXYZ" : "ABCDEF";
  const random = (0, import_node_crypto.randomBytes)(key.length);
  const made = [...key].map((character, i) => {
    const kind = alphabets.findIndex((alphabet2) => alphabet2.includes(character));
    const alphabet = kind < 0 ? character : kind === 0 ? "0123456789" : kind < 3 ? lower : upper;
    return alphabet.charAt((random[i] ?? 0) % alphabet.length);
  }).join("");
  return made === key || key.length < 8 ? `${made}${(0, import_node_crypto.randomBytes)(8).toString("hex")}` : made;
}
var BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
function anotherLast(key) {
  const last = key.at(-1) ?? "";
  if (/^[0-9a-f-]*[0-9a-f]$/i.test(key)) {
    const turned = ((Number.parseInt(last, 16) + 8) % 16).toString(16);
    return last === last.toUpperCase() ? turned.toUpperCase() : turned;
  }
  const value = BASE64.indexOf(last);
  if (value < 0) return last === "x" ? "y" : "x";
  return BASE64.charAt(value ^ 32) || BASE64.charAt(value ^ 48);
}

// src/catalogue/wrong-keys.ts
var bare = { sends: () => ({}) };
var madeUp = {
  words: "to a key that was never issued",
  sends: ({ accounts: [first] }) => ({ headers: [["apiKey", madeUpLike(first?.apiKey ?? "")]] })
};
var issuedToNobody = (make) => ({ sends: () => ({ headers: [["apiKey", make()]] }) });
var atTheBase = (form) => ({
  ...form,
  sends: (keys, holder) => ({ ...form.sends(keys, holder), path: "/" })
});
function altered(name, words, alter, more = {}) {
  const sends = ({ accounts, derived }, { name: account, apiKey }) => {
    const value = alter(apiKey);
    const isAKey = value === "" || accounts.some((other) => other.apiKey === value);
    return isAKey ? null : { headers: [["apiKey", derived(account, name, value)]] };
  };
  return { [name]: { words, sends, ...more } };
}
function carried(name, words, [header, before], more = {}) {
  const sends = ({ valid }, holder) => ({ headers: [[header, before + valid(holder.name)]] });
  return {
    [name]: { words, sends, ...more },
    [`base-${name}`]: atTheBase({ words: `${words} on the base path`, sends })
  };
}
var method = (name, isSafe = false) => ({
  [name]: { sends: () => ({ method: name }), ...isSafe ? {} : { isRisky: true } }
});
var swapped = (character) => character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase();
var rejected = { key: "none", answer: "rejected", sent: "once" };
var follows = {
  ...rejected,
  parts: ["account"],
  buildsOn: "read",
  sent: "open",
  followsARead: true,
  forms: { "": bare }
};
var wrongKeys = {
  "missing-key": {
    ...rejected,
    parts: [],
    role: "plain-rejection",
    rank: 0,
    isUnhurried: true,
    forms: { "": bare }
  },
  "empty-key": {
    ...rejected,
    parts: [],
    rank: 2,
    words: () => "to an empty apiKey header",
    forms: { "": { sends: () => ({ headers: [["apiKey", ""]] }) } }
  },
  "unknown-key": {
    ...rejected,
    parts: ["form"],
    rank: 2,
    isUnhurried: true,
    words: () => madeUp.words ?? "",
    forms: {
      1: madeUp,
      2: issuedToNobody(() => (0, import_node_crypto2.randomBytes)(16).toString("hex")),
      3: issuedToNobody(() => "invalid")
    }
  },
  "altered-key": {
    ...rejected,
    parts: ["account", "form"],
    words: (account, form) => `to the key of ${account} with ${form}`,
    forms: {
      ...altered("last-character-changed", "its last character changed", (key) => key.slice(0, -1) + anotherLast(key), {
        isNearMiss: true
      }),
      ...altered("last-character-dropped", "its last character dropped", (key) => key.slice(0, -1), {
        shell: (key) => `\${${key}%?}`,
        isOfSomeKeys: true
      }),
      ...altered("character-appended", "a character appended", (key) => `${key}x`, {
        shell: (key) => `\${${key}}x`
      }),
      ...altered("first-half", "nothing but its first half", (key) => key.slice(0, Math.floor(key.length / 2)), {
        shell: (key) => `$(printf %s "$${key}" | head -c $((\${#${key}} / 2)))`,
        isOfSomeKeys: true
      }),
      ...altered("case-swapped", "its letter case swapped", (key) => [...key].map(swapped).join(""), {
        shell: (key) => `$(printf %s "$${key}" | tr A-Za-z a-zA-Z)`,
        isTelling: true,
        isNearMiss: true,
        isOfSomeKeys: true
      })
    }
  },
  "other-carrier": {
    ...rejected,
    parts: ["account", "form"],
    words: (account, form) => `to the key of ${account} sent as ${form}, without the apiKey header`,
    forms: {
      ...carried("authorization-bearer", "Authorization: Bearer", ["Authorization", "Bearer "], { isTelling: true }),
      ...carried("authorization-apikey", "Authorization: ApiKey", ["Authorization", "ApiKey "]),
      ...carried("x-api-key", "X-API-Key", ["X-API-Key", ""], { isTelling: true }),
      ...carried("api-key", "Api-Key", ["Api-Key", ""]),
      ...carried("cookie", "a cookie", ["Cookie", "apiKey="])
    }
  },
  "key-in-url": {
    ...rejected,
    parts: ["account"],
    words: (account) => `to the key of ${account} in the URL, without the apiKey header`,
    forms: {
      "": {
        isRisky: true,
        sends: ({ derived }, { name, apiKey }) => ({
          path: `/webhooks?apiKey=${derived(name, "percent", encodeURIComponent(apiKey))}`
        })
      }
    }
  },
  "base-rejected": {
    ...rejected,
    parts: ["form"],
    words: (_, form) => `${form}, on the base path`,
    forms: {
      "missing-key": atTheBase({ ...bare, words: "without a key" }),
      "unknown-key": atTheBase(madeUp)
    }
  },
  "every-path": {
    ...rejected,
    answer: "not-served",
    parts: ["form"],
    words: (_, form) => `without a key, at ${form || "a path that does not exist"}`,
    forms: {
      "": { sends: () => ({ path: `/no-such-path-${(0, import_node_crypto2.randomBytes)(4).toString("hex")}` }) },
      "slash-behind": { words: "/webhooks/ with a slash behind", sends: () => ({ path: "/webhooks/" }) }
    }
  },
  /** OPTIONS is a preflight's and may be accepted. */
  "every-method": {
    ...rejected,
    answer: "not-served",
    parts: ["form"],
    words: (_, form) => `to ${form} without a key`,
    forms: {
      ...method("HEAD", true),
      ...method("OPTIONS", true),
      ...method("POST"),
      ...method("PUT"),
      ...method("PATCH"),
      ...method("DELETE")
    }
  },
  /** On the connection and with the cookies of an accepted read. */
  session: {
    ...follows,
    forms: {
      "": {
        sends: ({ cookies }, { name }) => {
          const line2 = cookies?.(name) ?? null;
          return line2 === null ? {} : { headers: [["Cookie", line2]] };
        }
      }
    },
    mayReuse: true,
    takesTheRun: true,
    words: (account) => `without a key, on the connection and with the cookies of an accepted request of ${account}`
  },
  /** Over a connection of its own, at once after an accepted read. */
  "after-accepted": {
    ...follows,
    words: (account) => `without a key, on a connection of its own, at once after an accepted request of ${account}`
  }
};
var watches = {
  /** Right before `together`. Its account is named `all`. */
  keyless: {
    key: "none",
    answer: "observed",
    parts: ["account", "trial", "form"],
    sent: "open",
    role: "flood",
    isNumbered: true,
    forms: {}
  },
  /** The first request without a key, sent again. */
  guard: {
    key: "none",
    answer: "observed",
    parts: ["trial"],
    sent: "if-needed",
    role: "guard-watch",
    forms: { "": bare }
  },
  /** To a server that accepts nothing any more. */
  alive: {
    key: "none",
    answer: "observed",
    parts: ["trial"],
    sent: "if-needed",
    role: "alive-watch",
    forms: { "": bare }
  }
};

// src/catalogue/catalogue.ts
var needed = { ...wrongKeys, ...validKeys };
var all = { ...needed, ...watches, ...diagnoses };
var catalogue = all;
var groups = Object.keys(all);
var needs = Object.keys(needed);
function groupsWhere(is) {
  return groups.filter((group) => is(catalogue[group]));
}
function groupAs(role) {
  return groups.find((group) => catalogue[group].role === role);
}

// src/catalogue/probe.ts
function probe(group, parts = {}) {
  return { group, account: parts.account ?? null, trial: parts.trial ?? 1, form: parts.form ?? "" };
}
function probeAs(role, parts = {}) {
  return probe(groupAs(role), parts);
}
function hasRole({ group }, role) {
  return catalogue[group].role === role;
}
function nameOf(probe2) {
  const parts = catalogue[probe2.group].parts;
  const named2 = parts.filter((part2) => part2 !== "form" || probe2.form !== "");
  return [probe2.group, ...named2.map((part2) => probe2[part2])].join("/");
}
function sendingOf(probe2) {
  return nameOf(hasRole(probe2, "flood") ? { ...probe2, form: "" } : probe2);
}
function probeNamed(name) {
  const [group = "", ...values] = name.split("/");
  if (!Object.hasOwn(catalogue, group)) return null;
  const { parts, role } = catalogue[group];
  const before = parts.filter((part2) => part2 !== "form").length;
  const form = role === "flood" ? values.slice(before).join("/") : values[before];
  const most = role === "flood" ? Number.POSITIVE_INFINITY : parts.length;
  if (values.length < before || values.length > most) return null;
  const textOf2 = (part2) => parts.includes(part2) ? values[parts.indexOf(part2)] : void 0;
  const trial2 = Number(textOf2("trial") ?? 1);
  if (!Number.isInteger(trial2) || trial2 < 1) return null;
  return { group, account: textOf2("account") ?? null, trial: trial2, form: form ?? "" };
}
function standsFor(probe2) {
  return hasRole(probe2, "flood") && probeNamed(probe2.form) || probe2;
}
function repeatedWith(key, altered2) {
  if (key === void 0) return probeAs("plain-rejection");
  return altered2 ? probe("altered-key", { account: altered2.name, form: altered2.form ?? "" }) : probe("unknown-key", { form: "1" });
}
function isSameProbe(a, b) {
  return a.group === b.group && a.account === b.account && a.trial === b.trial && a.form === b.form;
}
function wordsOf(probe2) {
  const { group, account, form } = standsFor(probe2);
  const { words, forms } = catalogue[group];
  return words?.(account, forms[form]?.words ?? form) ?? "without a key";
}

// src/common/json-schema.ts
function errorsAgainst(schema, options = {}) {
  let validate = null;
  return (value) => {
    validate ??= compiled(schema, options);
    return validate(value) ? [] : validate.errors ?? [];
  };
}
function compiled(schema, options) {
  const { Ajv2020 } = require("ajv/dist/2020");
  const { default: addFormats } = require("ajv-formats");
  return addFormats(new Ajv2020({ validateSchema: false, ...options })).compile(schema);
}

// src/common/visible.ts
function visible(text2) {
  return text2.replace(/\r\n?/g, "\n").replace(
    /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`
  ).replace(/\p{Cs}|[\ufffe\uffff]/gu, "\uFFFD").replace(/[\x00-\x08\x0b-\x1f]/g, (control) => String.fromCharCode(9216 + control.charCodeAt(0))).replace(/[\x7f-\x9f]/g, "\u2421").replace(COMMAND, (begins) => `${begins[0]}\u200B${begins.slice(1)}`);
}
var COMMAND = /::(?=[a-z][a-z_-]{0,40}(?:\s|::|$))|##(?=\[|vso\[|teamcity\[)/gi;

// src/common/usage-error.ts
var UsageError = class extends Error {
  constructor(message) {
    super(visible(message));
    this.name = "UsageError";
    this.stack = this.message;
  }
};

// src/common/json-text.ts
var MOST_DEPTH = 500;
var MOST_VALUES = 4e6;
function jsonOf(text2) {
  if (whyTooMuch(text2) !== null) return void 0;
  try {
    return JSON.parse(text2);
  } catch {
    return void 0;
  }
}
function whyTooMuch(text2) {
  const { deepest, values } = sizeOf(text2);
  if (deepest > MOST_DEPTH) return `it is nested more than ${MOST_DEPTH} levels deep`;
  return values > MOST_VALUES ? `it holds more than ${MOST_VALUES} values` : null;
}
function isTooDeep(text2) {
  return sizeOf(text2).deepest > MOST_DEPTH;
}
var QUOTE = 34;
var BACKSLASH = 92;
var COMMA = 44;
var OPEN_BRACE = 123;
var OPEN_BRACKET = 91;
function sizeOf(text2) {
  let [depth, deepest, values] = [0, 0, 1];
  if (text2.length <= MOST_DEPTH) return { deepest, values };
  for (let i = 0; i < text2.length && deepest <= MOST_DEPTH; i += 1) {
    const code = text2.charCodeAt(i);
    if (code === QUOTE) {
      for (i += 1; i < text2.length && text2.charCodeAt(i) !== QUOTE; i += 1)
        if (text2.charCodeAt(i) === BACKSLASH) i += 1;
    } else if (code === COMMA) values += 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === OPEN_BRACE + 2 || code === OPEN_BRACKET + 2) depth -= 1;
  }
  return { deepest, values };
}
var COLON = /[ \t\r\n]*:/y;
var NUMBER = /-?\d[\d.eE+-]*/y;
function* tokensOf(text2) {
  for (let from = 0, to = 0; from < text2.length; from = Math.max(to, from + 1)) {
    const code = text2.charCodeAt(from);
    if (code === QUOTE) {
      for (to = from + 1; to < text2.length && text2.charCodeAt(to) !== QUOTE; to += 1)
        if (text2.charCodeAt(to) === BACKSLASH) to += 1;
      const isCut = to >= text2.length;
      to = Math.min(to + 1, text2.length);
      COLON.lastIndex = to;
      yield { kind: COLON.test(text2) ? "name" : "string", from, to, isCut };
    } else if (code === 45 || code >= 48 && code <= 57) {
      NUMBER.lastIndex = from;
      if (!NUMBER.test(text2)) continue;
      to = NUMBER.lastIndex;
      yield { kind: "number", from, to, isCut: false };
    } else if ("{}[],".includes(text2.charAt(from))) yield { kind: "sign", from, to: from + 1, isCut: false };
  }
}
function saidIn(text2, { from, to, isCut }) {
  const inner = text2.slice(from + 1, isCut ? to : to - 1);
  const said = inner.includes("\\") ? jsonOf(`"${inner}"`) : inner;
  return typeof said === "string" ? said : inner;
}

// src/evidence/http/headers.ts
function valuesOf(exchange, name) {
  return linesOf(exchange.response?.headers ?? [], name);
}
function linesOf(headers, name) {
  const wanted = name.toLowerCase();
  return headers.filter(([field]) => field.toLowerCase() === wanted).map(([, value]) => value.trim());
}
function wholeNumber(text2) {
  return text2 !== void 0 && /^\d{1,300}$/.test(text2) ? Number(text2) : null;
}
var DAYS = "Mon|Tue|Wed|Thu|Fri|Sat|Sun";
var LONG_DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday";
var MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec";
var MONTH = `(?<month>${MONTHS})`;
var TIME = "(?<time>[0-2]\\d:[0-5]\\d:(?:[0-5]\\d|60))";
var IMF_FIXDATE = new RegExp(`^(?:${DAYS}), (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`);
var OBSOLETE = [
  // RFC 850, then asctime.
  new RegExp(`^(?:${LONG_DAYS}), (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} GMT$`),
  new RegExp(`^(?:${DAYS}) ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`)
];
function httpDate(text2) {
  const form = [IMF_FIXDATE, ...OBSOLETE].find((each2) => each2.test(text2));
  const { year = "", month = "", day = "", time = "" } = form?.exec(text2)?.groups ?? {};
  const date = [year.padStart(4, "20"), String(MONTHS.split("|").indexOf(month) + 1), day.trim()];
  const iso = date.map((part2) => part2.padStart(2, "0")).join("-");
  const epochMs = Date.parse(`${iso}T${time.replace(/:60$/, ":59")}Z`);
  const isRealDay = new Date(epochMs).getUTCDate() === Number(day);
  return form && isRealDay ? { epochSeconds: epochMs / 1e3, obsolete: form !== IMF_FIXDATE } : null;
}
var read2 = /* @__PURE__ */ new WeakMap();
var NONE = [];
function saidBy({ response }) {
  const headers = response?.headers ?? NONE;
  const known = read2.get(headers) ?? saidIn2(headers);
  read2.set(headers, known);
  return known;
}
function saidIn2(headers) {
  const only = (name) => {
    const values = linesOf(headers, name);
    return values.length === 1 ? values[0] : void 0;
  };
  return {
    limit: wholeNumber(only("X-RateLimit-Limit")),
    remaining: wholeNumber(only("X-RateLimit-Remaining")),
    reset: wholeNumber(only("X-RateLimit-Reset")),
    retryAfter: retryAfterIn(only("Retry-After")),
    dateSeconds: httpDate(only("Date") ?? "")?.epochSeconds ?? null,
    ageSeconds: wholeNumber(linesOf(headers, "Age")[0])
  };
}
function retryAfterIn(value) {
  if (value === void 0) return null;
  const seconds = wholeNumber(value);
  if (seconds !== null) return { form: "seconds", seconds };
  const date = httpDate(value);
  return date && { form: "date", ...date };
}

// src/evidence/markers.ts
function markerOf(kind, name, form) {
  return `[secret:${kind}:${name}${form ? `:${form}` : ""}]`;
}
var ENCODINGS = /* @__PURE__ */ new Set([
  ...["base64", "hex", "base32", "bytes", "joined", "compressed", "reversed", "other-case", "part"]
]);
var MARKER = /\[secret:([A-Za-z]{1,20}):([^\]:[]{1,200})(?::([^\][]{1,150}))?\]/g;
function withoutMarkers(text2) {
  return text2.replace(MARKER, "secret");
}
function markersIn(text2) {
  return [...text2.matchAll(MARKER)].map(([, kind = "", name = "", form]) => ({ kind, name, form })).filter(({ form }) => form === void 0 || !form.split(":").includes("part"));
}
function isTheSecret(form) {
  return form === void 0 || form.split(":").every((part2) => ENCODINGS.has(part2) && part2 !== "other-case");
}
var WITHHELD = "an answer was too large or too entangled to be searched for secrets within the bound of work, so its body was not kept: the settings of an account are a few kilobytes";
var IS_WITHHELD = /^\[withheld: \d{1,12} bytes, sha256:[0-9a-f]{64}(, nested too deeply)?\]$/;
function withheldIn(body) {
  const found = IS_WITHHELD.exec(body);
  return found && { isTooDeep: found[1] !== void 0 };
}
function searchable({ body, bodyEncoding }) {
  return bodyEncoding === "base64" ? Buffer.from(body, "base64").toString("latin1") : body;
}

// src/evidence/model.ts
var MOST_DELIVERIES = 1100;

// src/evidence/har/read.ts
var errorsIn = errorsAgainst(evidence_schema_default);
function fromHar(text2, file, named2 = "REPLAY: ") {
  const { log } = harIn(text2, `${named2}${file}`);
  const evidence = {
    target: log._target,
    startedAtEpochMs: log._startedAtEpochMs,
    notSent: log._notSent.map(({ probe: probe2, reason }) => ({ probe: probeIn(probe2), reason })),
    exchanges: log.entries.flatMap((entry, index) => "_delivery" in entry ? [] : [exchangeOf(entry, index)]),
    deliveries: log.entries.flatMap((entry, index) => "_delivery" in entry ? [deliveryOf(entry, index)] : []),
    triggers: log._triggers
  };
  return {
    evidence,
    durationMs: log._durationMs,
    waitedMs: log._waitedMs,
    error: log._error,
    /** Name and version of the suite that recorded it. */
    recordedBy: log.creator
  };
}
function harIn(text2, file) {
  const unusable = (why) => new UsageError(`${file} cannot be judged again: ${why}. Take the evidence.har that a run left, unedited.`);
  const har = jsonOf(text2);
  const tooMuch = har === void 0 ? whyTooMuch(text2) : null;
  if (tooMuch !== null) throw unusable(tooMuch);
  if (har === void 0)
    throw new UsageError(`${file} is not whole JSON: it was cut or edited. Take the evidence.har that a run left.`);
  const [error] = errorsIn(har);
  if (error?.keyword === "maxItems") throw unusable(`its ${shortName(placeOf(error))} are more than a run leaves`);
  if (error) throw unusable(whatIsWrong(placeOf(error)));
  if (har.log.entries.filter((entry) => "_delivery" in entry).length > MOST_DELIVERIES)
    throw unusable("its deliveries are more than a run takes");
  const place = senselessPlace(har);
  if (place !== null) throw unusable(whatIsWrong(place));
  return har;
}
function placeOf({ instancePath, params }) {
  return params.missingProperty === void 0 ? instancePath : `${instancePath}/${params.missingProperty}`;
}
function senselessPlace({ log }) {
  if (!URL.canParse(log._target.baseURL)) return "/log/_target/baseURL";
  const unknown = log._notSent.findIndex(({ probe: probe2 }) => probeNamed(probe2) === null);
  if (unknown >= 0) return `/log/_notSent/${unknown}/probe`;
  for (const [i, entry] of log.entries.entries()) {
    if (!("_delivery" in entry) && probeNamed(entry._probe) === null) return `/log/entries/${i}/_probe`;
    if (!URL.canParse(entry.request.url)) return `/log/entries/${i}/request/url`;
    if (entry._receivedAtMs < entry._sentAtMs) return `/log/entries/${i}/_receivedAtMs`;
  }
  return null;
}
function whatIsWrong(place) {
  if (/^(?:\/log(?:\/version|\/entries)?)?$/.test(place)) return "it is no HAR 1.2";
  if (/^\/log\/creator(?:\/name)?$/.test(place)) return "it was not written by this suite";
  if (/^\/log\/_target(?:\/accounts)?$/.test(place)) return "nothing is recorded in it";
  const [, entry, member] = /^\/log(?:\/entries\/(\d+))?(?:\/(.+))?$/.exec(place) ?? [];
  const which = entry === void 0 ? "it" : `its entry ${entry}`;
  if (member === void 0) return `${which} is none`;
  return `${which} has no usable ${shortName(member)}`;
}
function shortName(place) {
  return place.replace(/^\/log\//, "").replace(/\/(\d+)/g, "[$1]").replaceAll("/", ".");
}
function exchangeOf(entry, index) {
  const { request, response } = entry;
  return {
    index,
    probe: repeatedIn(probeIn(entry._probe), linesFrom(request.headers)),
    account: entry._account,
    request: {
      method: request.method,
      url: request.url,
      headers: linesFrom(request.headers),
      ...request.postData && { body: bodyFrom(request.postData) }
    },
    response: entry._answered ? {
      status: response.status,
      statusText: response.statusText,
      headers: linesFrom(response.headers),
      ...response._aside && { aside: linesFrom(response._aside) },
      body: response.content.text,
      bodyEncoding: response.content.encoding ?? "utf8"
    } : null,
    fault: entry._fault,
    sentAtMs: entry._sentAtMs,
    receivedAtMs: entry._receivedAtMs,
    connection: Number(entry.connection),
    ...entry._resent && { resent: entry._resent }
  };
}
function deliveryOf(entry, index) {
  const { request } = entry;
  return {
    index,
    method: request.method,
    path: entry._path,
    headers: linesFrom(request.headers),
    ...bodyFrom(request.postData),
    truncated: entry._truncated,
    basic: entry._basic,
    receivedAtMs: entry._receivedAtMs
  };
}
function bodyFrom({ text: text2, _encoding }) {
  return { body: text2, bodyEncoding: _encoding ?? "utf8" };
}
function probeIn(name) {
  return probeNamed(name) ?? probeAs("whole-account");
}
function repeatedIn(sentFor, headers) {
  if (!hasRole(sentFor, "flood") || sentFor.form !== "") return sentFor;
  const [key] = linesOf(headers, "apiKey");
  const [altered2] = markersIn(key ?? "");
  return { ...sentFor, form: nameOf(repeatedWith(key, altered2)) };
}
function linesFrom(pairs) {
  return pairs.map(({ name, value }) => [name, value]);
}

// src/common/failure.ts
function failureOf(problem) {
  if (problem instanceof UsageError) return problem.message;
  const what = problem instanceof Error ? kindOf(problem) + placeOf2(problem) : "something that is no error was thrown";
  return `The suite failed: ${what}. This is a defect of the suite: report it with this line.`;
}
function kindOf({ name, code }) {
  const kind = /^[A-Za-z]{1,40}$/.test(name) ? name : "Error";
  return /^[A-Z][A-Z0-9_]{1,40}$/.test(String(code)) ? `${kind} (${code})` : kind;
}
function placeOf2({ name, message, stack = "" }) {
  const heading = `${name}: ${message}`;
  const frames = message === "" ? stack : stack.startsWith(heading) ? stack.slice(heading.length) : "";
  const place = /\b(src\/[a-z/-]{1,60}\.ts:\d{1,5})/.exec(frames.slice(0, 2e4))?.[1];
  return place === void 0 ? "" : ` at ${place}`;
}

// src/evidence/memoize.ts
function once(compute) {
  const known = /* @__PURE__ */ new WeakMap();
  return (evidence) => {
    const { exchanges } = evidence;
    const before = known.get(exchanges);
    if (before?.count === exchanges.length) return before.value;
    const value = compute(evidence);
    known.set(exchanges, { count: exchanges.length, value });
    return value;
  };
}

// src/common/remembered.ts
var ENTRY = 256;
var Remembered = class {
  constructor(mostCharacters) {
    this.mostCharacters = mostCharacters;
  }
  mostCharacters;
  values = /* @__PURE__ */ new Map();
  characters = 0;
  /** Returns what `work` makes of a text. For the same text it must always be the same. */
  of(text2, work) {
    if (this.values.has(text2)) return this.values.get(text2);
    const value = work(text2);
    if (this.characters + text2.length + ENTRY > this.mostCharacters) this.forget();
    if (text2.length > this.mostCharacters) return value;
    this.characters += text2.length + ENTRY;
    this.values.set(text2, value);
    return value;
  }
  forget() {
    this.values.clear();
    this.characters = 0;
  }
};

// src/contract/settings.ts
var KINDS = ["start", "submission", "updates"];
var KIND_MEMBERS = ["status", "url"];
var MEMBERS = {
  "": [...KINDS, "auth"],
  start: KIND_MEMBERS,
  submission: KIND_MEMBERS,
  updates: KIND_MEMBERS,
  auth: ["status", "type", "basic", "apikey"],
  "auth.basic": ["username", "password", "hasPassword"],
  "auth.apikey": ["header", "apikey"]
};
function isMemberPath(path) {
  return Object.hasOwn(MEMBERS, path);
}
var MEMBER_NAMES = /* @__PURE__ */ new Set(["webhook", ...Object.values(MEMBERS).flat()]);

// src/evidence/http/json.ts
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function unreadable(text2) {
  if (outlined(text2) !== void 0) return null;
  return isTooDeep(text2) || withheldIn(text2)?.isTooDeep ? `JSON nested more than ${MOST_DEPTH} levels deep` : "a body that is not well-formed JSON";
}
var outlines = new Remembered(16 * 1024 * 1024);
function outlineOf(text2) {
  return outlines.of(text2, () => {
    const value = parsed(text2);
    return { value: withoutTheRest(value), holdsSettings: holdsDescribed(value) };
  });
}
function withoutTheRest(value) {
  if (Array.isArray(value)) return [];
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, name === "webhook" ? inner : null]));
}
function outlined(text2) {
  return outlineOf(text2).value;
}
var parsed = jsonOf;
function settingsIn(body) {
  return webhookIn(outlined(body));
}
function webhookIn(value) {
  const webhook = isObject(value) ? value.webhook : void 0;
  if (!isObject(webhook)) return null;
  return MEMBERS[""].some((member) => Object.hasOwn(webhook, member)) ? webhook : null;
}
function holdsSettings(body) {
  return outlineOf(body).holdsSettings;
}
function holdsDescribed(value) {
  if (Array.isArray(value)) return value.some(holdsDescribed);
  if (!isObject(value)) return false;
  const isHeld = (holder, member) => isObject(holder) && Object.hasOwn(holder, member) && isValue(holder[member]);
  if (isHeld(value, "hasPassword") || KINDS.some((kind) => isHeld(value[kind], "url"))) return true;
  return Object.entries(value).some(([name, inner]) => !EXAMPLES.has(name) && holdsDescribed(inner));
}
var EXAMPLES = /* @__PURE__ */ new Set(["example", "examples", "default"]);
var NAME_OF_A_TYPE = /^(?:bool(?:ean)?|string|uri|url|text)\??$/i;
function isValue(value) {
  return typeof value === "string" ? !NAME_OF_A_TYPE.test(value) : !isObject(value) && !Array.isArray(value);
}
function duplicateMembers(text2) {
  if (outlined(text2) === void 0) return [];
  const duplicates = [];
  const open = [];
  for (const token of tokensOf(text2)) {
    const sign = text2.charAt(token.from);
    if (sign === "{" || sign === "[") open.push(/* @__PURE__ */ new Set());
    else if (sign === "}" || sign === "]") open.pop();
    else if (token.kind === "name") {
      const name = saidIn(text2, token);
      const names = open.at(-1);
      if (names?.has(name)) duplicates.push(name);
      names?.add(name);
    }
  }
  return duplicates;
}
function memberAt(value, ...path) {
  return path.reduce(
    (inner, member) => isObject(inner) && Object.hasOwn(inner, member) ? inner[member] : void 0,
    value
  );
}
function* stringsIn(value, path = "") {
  if (typeof value === "string") yield { path, text: value };
  else if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* stringsIn(item, `${path}.${i}`);
  else if (isObject(value))
    for (const [name, inner] of Object.entries(value)) yield* stringsIn(inner, path ? `${path}.${name}` : name);
}

// src/evidence/select.ts
function exchangesOf(evidence, ...groups2) {
  return evidence.exchanges.filter((exchange) => groups2.includes(exchange.probe.group));
}
function burstsOf(evidence) {
  return exchangesOf(evidence, ...groupsWhere(({ bursts }) => bursts));
}
function whyNotSent(evidence, group, otherwise) {
  const noted = evidence.notSent.find(({ probe: probe2 }) => probe2.group === group) ?? evidence.notSent.find(({ probe: probe2 }) => hasRole(probe2, "whole-account"));
  return noted?.reason ?? otherwise;
}
function ofTheApi(evidence) {
  return evidence.exchanges.filter((exchange) => isOfTheApi(exchange, evidence));
}
function isOfTheApi({ request }, { target }) {
  return request.url.startsWith(`${target.baseURL}/`);
}

// src/evidence/responder/classify.ts
function isWhole(exchange) {
  return exchange.fault === null && exchange.response !== null;
}
function isAccepted(exchange) {
  return isWhole(exchange) && Math.floor(statusOf(exchange) / 100) === 2;
}
function statusOf(exchange) {
  return exchange.response?.status ?? 0;
}
function shapeOf(exchange) {
  const { body = "" } = exchange.response ?? {};
  return [
    statusOf(exchange),
    valuesOf(exchange, "Content-Type")[0] ?? "",
    valuesOf(exchange, "Retry-After").length > 0,
    isWithheld(exchange) ? "" : body.slice(0, 500).replace(/[0-9a-f]*\d[0-9a-f]*/gi, "#")
  ].join("\n");
}
function isWithheld({ response }) {
  return withheldIn(response?.body ?? "") !== null;
}
function servesSettings(exchange) {
  return isAccepted(exchange) && settingsIn(exchange.response?.body ?? "") !== null;
}
function disclosesSettings(exchange) {
  return holdsSettings(exchange.response?.body ?? "");
}
function isRefused(exchange, evidence) {
  if (exchange.account === null) return false;
  const habits = habitsOf(evidence);
  if (isBurstRead(exchange)) return isRefusedInBurst(exchange, habits.serving);
  if (!isWhole(exchange) || isAccepted(exchange)) return false;
  return saysThrottled(exchange, evidence) || habits.statuses.has(statusOf(exchange)) && (habits.accepted.has(wayOf(exchange)) || isOfTheApi(exchange, evidence) && habits.shapes.has(shapeOf(exchange)));
}
function letThrough(trial2, evidence) {
  return trial2.filter((exchange) => isAccepted(exchange) && !isRefused(exchange, evidence));
}
function wayOf({ account, request }) {
  return `${account} ${askedFor(request)}`;
}
function askedFor({ method: method2, url, headers }) {
  return [method2, url, ...headers.map(([name]) => name)].join(" ");
}
function looksRefused(exchange, evidence) {
  const habits = habitsOf(evidence);
  return isWhole(exchange) && (saysThrottled(exchange, evidence) || habits.statuses.has(statusOf(exchange)));
}
function saysThrottled(exchange, evidence) {
  const status = statusOf(exchange);
  const isTold = !habitsOf(evidence).alwaysRetry && valuesOf(exchange, "Retry-After").length > 0;
  return status === 429 || (status === 403 || status === 503) && isTold;
}
function isBurstRead(exchange) {
  return catalogue[exchange.probe.group].isAtTheLimit === true && exchange.request.url.endsWith("/webhooks");
}
function isRefusedInBurst(exchange, serving) {
  if (!isWhole(exchange)) return exchange.fault?.kind !== "unreachable";
  return !isAccepted(exchange) || serving.has(exchange.account ?? "") && looksLikeAnError(exchange);
}
var DESCRIBED = /webhook|submission|hasPassword/;
function looksLikeAnError(exchange) {
  const body = exchange.response?.body ?? "";
  if (DESCRIBED.test(body) || withheldIn(body)) return false;
  const document = parsed(body);
  return document === void 0 || !DESCRIBED.test(JSON.stringify(document));
}
var habitsOf = once(({ exchanges }) => {
  const reads = exchanges.filter(
    (exchange) => hasRole(exchange.probe, "first-read") && exchange.account !== null && servesSettings(exchange)
  );
  const serving = new Set(reads.map((exchange) => exchange.account ?? ""));
  const refused = exchanges.filter(
    (exchange) => isBurstRead(exchange) && isWhole(exchange) && isRefusedInBurst(exchange, serving)
  );
  const letIn = exchanges.filter((exchange) => exchange.account !== null && isAccepted(exchange));
  const statuses = refused.map(statusOf);
  const rejections = exchanges.filter(({ probe: probe2 }) => hasRole(probe2, "plain-rejection")).map(shapeOf);
  const isProper = (status) => status < 500 || status === 503;
  const proper = refused.filter((exchange) => isProper(statusOf(exchange))).map(shapeOf);
  return {
    statuses: new Set(statuses.some(isProper) ? statuses.filter(isProper) : statuses),
    /** The shapes of its proper refusals, except a shape that an answer to a missing key has as well. */
    shapes: new Set(proper.filter((shape) => !rejections.includes(shape))),
    /** Accounts whose first reads got a settings document. */
    serving,
    /** Whether accepted responses carry Retry-After too. */
    alwaysRetry: letIn.some((exchange) => valuesOf(exchange, "Retry-After").length > 0),
    /** The ways to ask (`wayOf`) that were accepted. */
    accepted: new Set(letIn.map(wayOf))
  };
});
function refusalStatuses(evidence) {
  return habitsOf(evidence).statuses;
}

// src/evidence/responder/auth-guard.ts
var shapesOf = once((evidence) => {
  const whole = evidence.exchanges.filter((exchange) => isWhole(exchange) && !isWithheld(exchange));
  const early = whole.filter((exchange) => exchange.account === null && !catalogue[exchange.probe.group].followsARead);
  const first = early.find((exchange) => statusOf(exchange) < 500) ?? early[0];
  const own = first && !isAccepted(first) ? shapeOf(first) : null;
  const missing = early.find((exchange) => hasRole(exchange.probe, "plain-rejection"));
  const usual = /* @__PURE__ */ new Set([own, missing && shapeOf(missing)]);
  const rejected2 = new Set(whole.filter((exchange) => hasShape(exchange, own)).map(({ probe: probe2 }) => sendingOf(probe2)));
  const lifted = whole.filter(
    (exchange) => exchange.account === null && ofAGateway(exchange) && rejected2.has(sendingOf(exchange.probe))
  );
  const guards = [...lifted, ...whole.filter(({ probe: probe2 }) => hasRole(probe2, "guard-watch"))].filter((exchange) => !isAccepted(exchange)).map(shapeOf).filter((shape) => !usual.has(shape));
  const refusals = whole.filter((exchange) => exchange.account !== null && isRefused(exchange, evidence)).map(shapeOf);
  return { own, guards: new Set(guards), refusals: new Set(refusals) };
});
function ofAGateway(exchange) {
  const status = statusOf(exchange);
  return status >= 502 && status <= 504;
}
function guardsOf(evidence) {
  return shapesOf(evidence).guards;
}
function isVeiled(exchange, evidence) {
  if (exchange.account !== null || !isWhole(exchange) || isAccepted(exchange)) return false;
  const { own, guards, refusals } = shapesOf(evidence);
  if (hasShape(exchange, own)) return false;
  const isOfAnother = [...guards, ...refusals].some((shape) => hasShape(exchange, shape));
  return isOfAnother || looksRefused(exchange, evidence) && saysWait(exchange);
}
function hasShape(exchange, shape) {
  const its = shapeOf(exchange);
  return shape !== null && (exchange.request.method === "HEAD" || isWithheld(exchange) ? shape.startsWith(its) : shape === its);
}
function saysWait(exchange) {
  return statusOf(exchange) === 429 || valuesOf(exchange, "Retry-After").length > 0;
}
function isDoubtful(exchange, evidence) {
  if (exchange.account !== null) return false;
  if (!isWhole(exchange)) return exchange.fault?.kind === "reset";
  const isOwn = !hasRole(exchange.probe, "plain-rejection") && hasShape(exchange, shapesOf(evidence).own);
  return isVeiled(exchange, evidence) || statusOf(exchange) >= 500 && !isOwn;
}
function countedAnswers(asked2, evidence) {
  const last = new Map(asked2.map((exchange) => [nameOf(exchange.probe), exchange]));
  return asked2.filter((exchange) => {
    if (isVeiled(exchange, evidence)) return false;
    if (hasRole(exchange.probe, "flood")) return !isDoubtful(exchange, evidence);
    const latest = last.get(nameOf(exchange.probe)) ?? exchange;
    return latest === exchange || !isDoubtful(exchange, evidence) || isVeiled(latest, evidence);
  });
}
function hiddenAnswers(asked2, evidence) {
  const seen = new Set(countedAnswers(asked2, evidence).map(({ probe: probe2 }) => nameOf(probe2)));
  const single = asked2.filter(({ probe: probe2 }) => !hasRole(probe2, "flood"));
  const hidden = new Map(
    single.filter(({ probe: probe2 }) => !seen.has(nameOf(probe2))).map((exchange) => [nameOf(exchange.probe), exchange])
  );
  return [...hidden.values()];
}

// src/evidence/responder/outages.ts
var ONE_MOMENT_MS = 1e3;
var bansOf = once((evidence) => {
  const { exchanges } = evidence;
  const bans = [];
  const guards = guardsOf(evidence);
  const reads = exchanges.filter(
    (exchange) => hasRole(exchange.probe, "ban-watch") || hasRole(exchange.probe, "after-flood")
  );
  const letIn = reads.filter(isAccepted);
  const refusals = new Set(burstsOf(evidence).map(shapeOf));
  const isOfAGuard = (exchange) => guards.has(shapeOf(exchange)) && !refusals.has(shapeOf(exchange)) && !saysThrottled(exchange, evidence);
  const turnedAway = reads.filter(
    (exchange) => !isAccepted(exchange) && (hasRole(exchange.probe, "ban-watch") || isOfAGuard(exchange))
  );
  for (const noticed of turnedAway) {
    if (bans.some(({ toMs: toMs2 }) => noticed.sentAtMs < toMs2)) continue;
    if (hasRole(noticed.probe, "ban-watch") && letIn.some(({ sentAtMs }) => Math.abs(sentAtMs - noticed.sentAtMs) < ONE_MOMENT_MS))
      continue;
    const accepted2 = exchanges.filter((exchange) => exchange.account !== null && isAccepted(exchange));
    const fromMs = Math.max(
      0,
      ...accepted2.map((exchange) => exchange.receivedAtMs).filter((ms) => ms <= noticed.sentAtMs)
    );
    const toMs = Math.min(...accepted2.map((exchange) => exchange.sentAtMs).filter((ms) => ms >= noticed.receivedAtMs));
    const wrongKeys2 = exchanges.filter(
      (exchange) => exchange.account === null && exchange.sentAtMs < noticed.sentAtMs && !isLike(exchange, signOf(noticed))
    ).length;
    bans.push({ fromMs, toMs, wrongKeys: wrongKeys2, shown: noticed });
  }
  return bans;
});
var outageOf = once(({ exchanges }) => {
  const last = exchanges.at(-1);
  if (!last || !hasRole(last.probe, "alive-watch")) return null;
  const sign = signOf(last);
  const before = exchanges.findLastIndex((exchange) => signOf(exchange) !== sign);
  const dark = exchanges.slice(before + 1);
  const wasOtherwise = exchanges.some(
    (exchange) => hasRole(exchange.probe, "plain-rejection") && signOf(exchange) !== sign
  );
  const isForAll = dark.some((exchange) => exchange.account !== null);
  const wasRefusal = exchanges.slice(0, before + 1).some((exchange) => exchange.account !== null && signOf(exchange) === sign);
  const isRefusal = wasRefusal && isWhole(last) && !isAccepted(last);
  return wasOtherwise && isForAll && !isRefusal ? dark[0] ?? null : null;
});
function signOf(exchange) {
  return isWhole(exchange) ? shapeOf(exchange) : "fault";
}
function isLike(exchange, sign) {
  return isWhole(exchange) ? hasShape(exchange, sign) : sign === "fault";
}
var accidentsIn = once((evidence) => {
  const whole = ofTheApi(evidence).filter(isWhole);
  const isHabit = (status) => refusalStatuses(evidence).has(status) && spanMs(whole.filter((exchange) => statusOf(exchange) === status)) >= ONE_MOMENT_MS;
  const failed = whole.filter(
    (exchange) => statusOf(exchange) >= 500 && !saysThrottled(exchange, evidence) && !isHabit(statusOf(exchange))
  );
  const others = whole.filter((exchange) => statusOf(exchange) < 500);
  const [known, served] = [new Set(others.map(requestOf)), new Set(others.map(({ account }) => account))];
  const isAccident = (exchange) => known.has(requestOf(exchange)) && served.has(exchange.account) && !holdsSecrets(exchange);
  return new Set(spanMs(failed) < ONE_MOMENT_MS && failed.every(isAccident) ? failed : []);
});
function requestOf({ account, request }) {
  return `${account !== null} ${askedFor(request)}`;
}
function spanMs(exchanges) {
  const sentAtMs = exchanges.map((exchange) => exchange.sentAtMs);
  return Math.max(...sentAtMs) - Math.min(...sentAtMs);
}
function holdsSecrets({ response }) {
  const { headers = [], body = "" } = response ?? {};
  return holdsSettings(body) || markersIn([...headers.flat(), body].join("\n")).length > 0;
}
function whileServing(evidence) {
  if (!outageOf(evidence) && bansOf(evidence).length === 0 && accidentsIn(evidence).size === 0) return evidence;
  return withoutSilence(evidence);
}
var withoutSilence = once((evidence) => {
  const outage = outageOf(evidence);
  const accidents = accidentsIn(evidence);
  const bans = bansOf(evidence).map((ban) => ({ ...ban, sign: signOf(ban.shown) }));
  const exchanges = evidence.exchanges.filter((exchange) => {
    if (accidents.has(exchange) || outage && exchange.index >= outage.index) return false;
    return !bans.some(
      ({ fromMs, toMs, sign }) => exchange.sentAtMs >= fromMs && exchange.receivedAtMs <= toMs && !isAccepted(exchange) && (exchange.account !== null || isLike(exchange, sign))
    );
  });
  return { ...evidence, exchanges };
});
function whyNotServing(evidence) {
  const ban = bansOf(evidence).at(-1);
  if (ban) {
    const until = Number.isFinite(ban.toMs) ? "for a while" : "for more than a minute";
    return `after ${ban.wrongKeys} wrong keys this address was refused with valid keys too, ${until}: ask the operator to exempt it from that defence while the suite runs`;
  }
  return outageOf(evidence) && "the server stopped serving before this could be asked: fix transport.complete first";
}
function outageInWords(outage, evidence) {
  const seconds = (outage.sentAtMs / 1e3).toFixed(1);
  const count = evidence.exchanges.length - evidence.exchanges.indexOf(outage);
  const what = outage.fault ? "connections failed" : `every answer was the same ${statusOf(outage)}`;
  return `from ${seconds} s into the run to its end ${what}, ${count} in all, to valid keys and without a key alike: the server had stopped serving`;
}

// src/evidence/settings-reads.ts
function declaredOf(evidence, account) {
  return evidence.target.accounts.find(({ name }) => name === account);
}
function bodyAt(exchange, ...path) {
  return memberAt(outlined(exchange.response?.body ?? ""), ...path);
}
function readsOf(evidence) {
  return allReadsOf(evidence).filter(isJudgeable);
}
function isJudgeable({ response }) {
  return withheldIn(response?.body ?? "")?.isTooDeep !== false;
}
function whyNoRead(evidence, otherwise) {
  return allReadsOf(evidence).every(isJudgeable) ? whyNotSent(evidence, groupAs("first-read"), otherwise) : WITHHELD;
}
function allReadsOf(evidence) {
  const url = `${evidence.target.baseURL}/webhooks`;
  return evidence.exchanges.filter(
    (exchange) => exchange.account !== null && exchange.request.method === "GET" && exchange.request.url === url && isAccepted(exchange) && !isRefused(exchange, evidence)
  );
}
function describedOf(exchange) {
  const webhook = settingsIn(exchange.response?.body ?? "");
  return webhook && JSON.stringify(describedBelow(webhook, ""));
}
var MISSING = { missing: true };
function describedBelow(value, path) {
  return MEMBERS[path].map((member) => {
    const inner = Object.hasOwn(value, member) ? value[member] ?? null : MISSING;
    const below = path === "" ? member : `${path}.${member}`;
    return isMemberPath(below) && isObject(inner) ? describedBelow(inner, below) : inner;
  });
}
function usualSettings(evidence, account) {
  const counts = /* @__PURE__ */ new Map();
  const facts = declaredOf(evidence, account);
  for (const read4 of readsOf(evidence).filter((read5) => read5.account === account)) {
    const settings = describedOf(read4);
    if (settings === null) continue;
    const weight = facts && contradicts(read4, facts) ? 1 : 1e3;
    counts.set(settings, (counts.get(settings) ?? 0) + weight);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}
var foreignReads = once((evidence) => {
  const { accounts } = evidence.target;
  const usual = new Map(accounts.map((account) => [account.name, usualSettings(evidence, account.name)]));
  const foreign = /* @__PURE__ */ new Map();
  for (const read4 of readsOf(evidence)) {
    const settings = describedOf(read4);
    const facts = declaredOf(evidence, read4.account);
    if (settings === null || !facts) continue;
    if (settings === usual.get(facts.name) && !contradicts(read4, facts)) continue;
    const owner = accounts.find(
      (other) => other.name !== facts.name && usual.get(other.name) === settings && !contradicts(read4, other)
    );
    if (owner) foreign.set(read4.index, owner.name);
  }
  return foreign;
});
function ownReads(evidence) {
  const foreign = foreignReads(evidence);
  return readsOf(evidence).filter((read4) => !foreign.has(read4.index));
}
function contradicts(read4, facts) {
  return facts.settings !== void 0 && differences(facts.settings, settingsIn(read4.response?.body ?? "")).length > 0;
}
function differences(declared, served, path = "") {
  if (isObject(declared)) {
    return Object.entries(declared).flatMap(
      ([member, inner]) => differences(inner, isObject(served) ? served[member] : void 0, path ? `${path}.${member}` : member)
    );
  }
  return JSON.stringify(declared) === JSON.stringify(served) ? [] : [{ path, declared, served }];
}

// src/evidence/time/in-flight.ts
function underWay(evidence, fromMs, toMs) {
  const sent = inOrderOfSending(evidence);
  const found = [];
  for (let i = countSentBefore(sent, toMs) - 1; i >= 0; i -= 1) {
    const request = sent[i];
    if (request.latestAnswerMs <= fromMs) break;
    if (request.exchange.receivedAtMs > fromMs) found.push(request);
  }
  return found.sort((a, b) => a.position - b.position).map(({ exchange }) => exchange);
}
var inOrderOfSending = once(({ exchanges }) => {
  let latestAnswerMs = Number.NEGATIVE_INFINITY;
  return exchanges.map((exchange, position) => ({ exchange, position })).sort((a, b) => a.exchange.sentAtMs - b.exchange.sentAtMs).map((request) => {
    latestAnswerMs = Math.max(latestAnswerMs, request.exchange.receivedAtMs);
    return { ...request, latestAnswerMs };
  });
});
function countSentBefore(sent, ms) {
  let [low, high] = [0, sent.length];
  while (low < high) {
    const middle = low + high >> 1;
    if ((sent[middle]?.exchange.sentAtMs ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

// src/contract/bounds.ts
var ROUNDING_SECONDS = 1;
var LITTLE_MS = 100;
var DAY_SECONDS = 86400;
function longestHonestSeconds({ seconds }) {
  return 2 * seconds + 2 * ROUNDING_SECONDS;
}

// src/common/grouped.ts
function groupedBy(values, keyOf) {
  const groups2 = /* @__PURE__ */ new Map();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups2.get(key);
    if (group) group.push(value);
    else groups2.set(key, [value]);
  }
  return groups2;
}

// src/evidence/time/server-clock.ts
function answeredAt(exchange, evidence) {
  const date = saidBy(exchange).dateSeconds;
  if (date !== null) return { least: date, most: date };
  const ours = epochSecondsAt(exchange.receivedAtMs, evidence);
  const { least, most } = clockAhead(evidence);
  return { least: ours + least, most: ours + most };
}
function secondsAhead(epochSeconds, exchange, evidence) {
  const { least, most } = answeredAt(exchange, evidence);
  return { least: epochSeconds - most, most: epochSeconds - least };
}
var SAME = { least: 0, most: 0 };
var clockAhead = once((evidence) => {
  const ranges = [rangeByDate, rangeByMoment(resetNamed), rangeByMoment(retryNamed)].map((rangeOf) => evidence.exchanges.flatMap((exchange) => rangeOf(exchange, evidence) ?? [])).find((found) => found.length > 0) ?? [];
  const least = Math.max(...ranges.map((range) => range.least));
  const most = Math.min(...ranges.map((range) => range.most));
  return ranges.length > 0 && least <= most ? { least, most } : SAME;
});
function rangeByDate(exchange, evidence) {
  const date = saidBy(exchange).dateSeconds;
  const now = date === null ? null : date + (saidBy(exchange).ageSeconds ?? 0);
  return now === null ? null : differenceOf(now, now + 2, exchange, evidence);
}
var resetNamed = (exchange) => saidBy(exchange).reset;
function retryNamed(exchange) {
  const asked2 = saidBy(exchange).retryAfter;
  return asked2?.form === "date" ? asked2.epochSeconds : null;
}
function rangeByMoment(named2) {
  return (exchange, evidence) => {
    const moment = named2(exchange);
    if (moment === null) return null;
    if (Math.abs(moment - epochSecondsAt(exchange.receivedAtMs, evidence)) > DAY_SECONDS) return null;
    const earliest = moment - longestHonestSeconds(evidence.target.rate);
    return differenceOf(earliest, moment + ROUNDING_SECONDS, exchange, evidence);
  };
}
var INSIDE_SECONDS = 1e-3;
function differenceOf(earliest, latest, { sentAtMs, receivedAtMs }, evidence) {
  return {
    least: earliest - epochSecondsAt(receivedAtMs, evidence) + INSIDE_SECONDS,
    most: latest - epochSecondsAt(sentAtMs, evidence) - INSIDE_SECONDS
  };
}
function epochSecondsAt(atMs, { startedAtEpochMs }) {
  return (startedAtEpochMs + atMs) / 1e3;
}
function isStored(exchange, evidence) {
  const age = saidBy(exchange).ageSeconds;
  return age !== null && (age > 0 || servesStored(evidence));
}
var servesStored = once(
  ({ exchanges }) => exchanges.some((exchange) => (saidBy(exchange).ageSeconds ?? 0) > 0)
);
var ONE_CLOCK_SECONDS = 0.02;
var datedOf = once(
  (evidence) => evidence.exchanges.filter((exchange) => saidBy(exchange).dateSeconds !== null && !isStored(exchange, evidence)).map((exchange) => {
    const date = saidBy(exchange).dateSeconds;
    const least = date - epochSecondsAt(exchange.receivedAtMs, evidence);
    return { exchange, ahead: { least, most: date + 1 - epochSecondsAt(exchange.sentAtMs, evidence) } };
  }).sort((a, b) => a.exchange.receivedAtMs - b.exchange.receivedAtMs)
);
var ANY = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };
function bothOf(a, b) {
  return { least: Math.max(a.least, b.least), most: Math.min(a.most, b.most) };
}
function isOneClock({ least, most }) {
  return least <= most + ONE_CLOCK_SECONDS;
}
var leastAhead = once((evidence) => {
  const ahead = datedOf(evidence).map((dated) => dated.ahead).reduce(bothOf, ANY);
  return Number.isFinite(ahead.least) && isOneClock(ahead) ? ahead.least : null;
});
var setBackIn = once((evidence) => {
  const dated = datedOf(evidence);
  const after = [];
  for (let i = dated.length - 1; i > 0; i -= 1) after[i] = bothOf(dated[i]?.ahead ?? ANY, after[i + 1] ?? ANY);
  let before = ANY;
  for (const [i, { exchange, ahead }] of dated.entries()) {
    before = bothOf(before, ahead);
    const [next, rest] = [dated[i + 1], after[i + 1]];
    if (!isOneClock(before) || next === void 0 || rest === void 0) return null;
    if (isOneClock(rest) && rest.most + ONE_CLOCK_SECONDS < before.least)
      return { fromMs: exchange.sentAtMs, toMs: next.exchange.receivedAtMs };
  }
  return null;
});
function passesAtMs(reset, exchange, evidence) {
  const date = saidBy(exchange).dateSeconds;
  if (date === null || Math.abs(reset - date) > DAY_SECONDS || reset < date - ROUNDING_SECONDS) return null;
  const bySpan = exchange.receivedAtMs + (reset - date + ROUNDING_SECONDS) * 1e3;
  const ahead = leastAhead(evidence);
  if (ahead === null) return bySpan;
  const byClock = (reset + ROUNDING_SECONDS - ahead) * 1e3 - evidence.startedAtEpochMs;
  return Math.max(exchange.receivedAtMs, Math.min(bySpan, byClock));
}
function waitAskedSeconds(exchange, evidence) {
  const asked2 = saidBy(exchange).retryAfter;
  if (asked2 === null) return null;
  if (asked2.form === "seconds") return { least: asked2.seconds, most: asked2.seconds };
  const { least, most } = secondsAhead(asked2.epochSeconds, exchange, evidence);
  return { least: Math.max(0, least + 1), most: Math.max(0, most + 1) };
}

// src/evidence/time/gaps.ts
function ownOf(evidence, account) {
  return ownByAccount(evidence).get(account) ?? [];
}
var ownByAccount = once(({ exchanges }) => {
  const inOrder = [...exchanges].sort((a, b) => a.sentAtMs - b.sentAtMs);
  return groupedBy(inOrder, ({ account }) => account);
});
function turnsOf(evidence, account) {
  return beginningsOf(evidence, account).filter(({ isAlone }) => isAlone);
}
function beginningsOf(evidence, account) {
  return beginningsByAccount(evidence).get(account) ?? [];
}
var beginningsByAccount = once(
  (evidence) => new Map([...ownByAccount(evidence)].map(([account, own]) => [account, beginningsAmong(own)]))
);
function beginningsAmong(own) {
  const turns = [];
  let before = [];
  for (const [i, next] of own.entries()) {
    const underWay2 = before.filter((exchange) => exchange.receivedAtMs > next.sentAtMs);
    const isAlone = (own[i + 1]?.sentAtMs ?? Number.POSITIVE_INFINITY) >= next.receivedAtMs;
    if (before.length > 0 && underWay2.length === 0) turns.push({ before, next, isAlone });
    before = [...underWay2, next];
  }
  return turns;
}
function waitedMs({ before, next }) {
  return next.sentAtMs - Math.max(...before.map((exchange) => exchange.receivedAtMs));
}
function keptItsWait({ before, next }, evidence, moreMs = 0) {
  return before.every((exchange) => {
    if (!isWhole(exchange)) return false;
    const askedSeconds = letThrough([exchange], evidence).length > 0 ? 0 : waitAskedSeconds(exchange, evidence)?.most ?? 0;
    return next.sentAtMs >= exchange.receivedAtMs + askedSeconds * 1e3 + moreMs;
  });
}
function isSpaced(turn, evidence, moreMs = 0) {
  const windowMs = evidence.target.rate.seconds * 1e3;
  const waited = waitedMs(turn);
  const setBack = setBackIn(evidence);
  const isLonger = setBack !== null && setBack.fromMs <= turn.next.receivedAtMs && setBack.toMs >= turn.next.sentAtMs - waited - windowMs;
  return !isLonger && waited >= windowMs + moreMs && keptItsWait(turn, evidence, moreMs);
}
function waitAskedMs(exchange, evidence) {
  const asked2 = waitAskedSeconds(exchange, evidence);
  if (asked2 === null || !isWhole(exchange) || !isRefused(exchange, evidence)) return 0;
  return asked2.most <= longestHonestSeconds(evidence.target.rate) ? asked2.most * 1e3 : 0;
}
function asksBeyondWindow(exchange, evidence) {
  const leastSeconds = waitAskedSeconds(exchange, evidence)?.least ?? 0;
  const rounding = saidBy(exchange).retryAfter?.form === "date" ? 3 * ROUNDING_SECONDS : 0;
  return waitAskedMs(exchange, evidence) > 0 && leastSeconds > evidence.target.rate.seconds + rounding;
}

// src/rate-limit/windows.ts
var SLACK_MS = 15;
function decisionOf(exchange) {
  return { fromMs: exchange.sentAtMs, toMs: exchange.receivedAtMs };
}
function isExplained(accepted2, rate, all2) {
  const windowMs = rate.seconds * 1e3;
  const wide = accepted2.map(widened);
  if (fullestStretch(wide, windowMs).length > 2 * rate.requests) return false;
  if (fitsBucket(wide, rate.requests, evenly(rate))) return true;
  const { accepted: granted, refused } = tellingOf(all2, rate);
  const isInWindows = phasesOf([...wide, ...refused]).some(
    (phase) => fitsWindows(wide, rate.requests, windowMs, phase) && unexplainedRefusals(refused, granted, rate.requests, windowMs, phase) < UNEXPLAINED_REFUSALS
  );
  const tickMs = windowMs / rate.requests;
  if (isInWindows || rate.requests === 1 || isRepeatedlyOver(accepted2, rate.requests, tickMs)) return isInWindows;
  return phasesOf(wide).some((phase) => fitsTicks(wide, granted, refused, rate.requests, tickMs, phase));
}
function isRepeatedlyOver(accepted2, limit2, tickMs) {
  const first = fullestStretch(accepted2, tickMs);
  const second = fullestStretch(
    accepted2.filter((decision) => !first.includes(decision)),
    tickMs
  );
  return second.length > limit2;
}
function fitsTicks(wide, granted, refused, limit2, tickMs, phase) {
  const ticks = (fromMs, toMs) => Math.floor((toMs - phase) / tickMs) - Math.floor((fromMs - phase) / tickMs);
  if (!fitsBucket(wide, limit2, ticks)) return false;
  const empty = refused.filter(
    ({ fromMs, toMs }) => granted.some((first) => {
      const since = granted.filter((decision) => decision.fromMs >= first.fromMs && decision.fromMs <= toMs).length;
      return first.fromMs <= toMs && limit2 + ticks(first.toMs, fromMs) - since < 1;
    })
  );
  return refused.length - empty.length < UNEXPLAINED_REFUSALS;
}
function evenly({ requests, seconds }) {
  return (fromMs, toMs) => (toMs - fromMs) * requests / (seconds * 1e3);
}
function widened({ fromMs, toMs }) {
  return { fromMs: fromMs - SLACK_MS, toMs: toMs + SLACK_MS };
}
var UNEXPLAINED_REFUSALS = 3;
var TELLING_DECISIONS = 150;
function tellingOf(all2, { requests, seconds }) {
  const accepted2 = (all2?.accepted ?? []).map(widened);
  const refused = (all2?.refused ?? []).slice(-TELLING_DECISIONS).map(widened);
  const late = refused.map(({ fromMs, toMs }) => ({ fromMs: fromMs - LITTLE_MS, toMs }));
  const isUsedUp = ({ fromMs, toMs }) => accepted2.filter((decision) => decision.toMs > fromMs - seconds * 1e3 && decision.fromMs < toMs).length >= requests;
  return { accepted: accepted2, refused: refused.every(isUsedUp) ? late : [] };
}
function unexplainedRefusals(refused, accepted2, limit2, windowMs, phase) {
  const windowAt = (ms) => Math.floor((ms - phase) / windowMs);
  const most = /* @__PURE__ */ new Map();
  for (const { fromMs, toMs } of accepted2)
    for (let window = windowAt(fromMs); window <= windowAt(toMs); window += 1)
      most.set(window, (most.get(window) ?? 0) + 1);
  const rounded = limit2 > 1 ? Math.ceil : Math.floor;
  return refused.filter(({ fromMs, toMs }) => {
    for (let window = windowAt(fromMs); window <= windowAt(toMs); window += 1) {
      const share = Math.min(1, window + 1 - (fromMs - phase) / windowMs);
      if ((most.get(window) ?? 0) + rounded((most.get(window - 1) ?? 0) * share) >= limit2) return false;
    }
    return true;
  }).length;
}
var LONGER_BY = [...Array.from({ length: 20 }, (_, i) => (i + 1) / 2), 14, 19, 29, 59];
function isExplainedByLonger(users, { requests, seconds }) {
  const telling = (decisions) => decisions.slice(-TELLING_DECISIONS).map(widened);
  const wide = users.map(({ accepted: accepted2, refused, charged }) => ({
    accepted: telling(accepted2),
    refused: telling(refused),
    charged: telling(charged)
  }));
  return LONGER_BY.some((more) => {
    const windowMs = (seconds + more) * 1e3;
    return wide.every(
      ({ accepted: accepted2, refused, charged }) => phasesOf(accepted2).some(
        (phase) => fitsWindows(accepted2, requests, windowMs, phase) && unexplainedRefusals(refused, charged, requests, windowMs, phase) === 0
      )
    );
  });
}
function isExplainedByBoundaries(spans, windowMs) {
  const wide = spans.map(widened);
  return phasesOf(wide).some(
    (phase) => wide.every(({ fromMs, toMs }) => Math.floor((toMs - phase) / windowMs) > Math.floor((fromMs - phase) / windowMs))
  );
}
function fullestStretch(accepted2, windowMs) {
  const ordered = [...accepted2].sort((a, b) => a.fromMs - b.fromMs);
  let fullest = [];
  for (const [i, first] of ordered.entries()) {
    const stretch = ordered.slice(i).filter((item) => item.toMs - first.fromMs < windowMs);
    if (stretch.length > fullest.length) fullest = stretch;
  }
  return fullest;
}
function phasesOf(decisions) {
  return [0, ...decisions.flatMap(({ fromMs, toMs }) => [fromMs - 0.01, toMs - 0.01])];
}
function fitsWindows(decisions, limit2, windowMs, phase) {
  const spans = decisions.map(({ fromMs, toMs }) => ({
    first: Math.floor((fromMs - phase) / windowMs),
    last: Math.floor((toMs - phase) / windowMs)
  })).sort((a, b) => a.last - b.last);
  const used = /* @__PURE__ */ new Map();
  return spans.every(({ first, last }) => {
    for (let window = first; window <= last; window += 1) {
      const count = used.get(window) ?? 0;
      if (count < limit2) {
        used.set(window, count + 1);
        return true;
      }
    }
    return false;
  });
}
function fitsBucket(decisions, limit2, gained) {
  const byEnd = [...decisions].sort((a, b) => a.toMs - b.toMs);
  return decisions.every(({ fromMs }) => {
    let within2 = 0;
    return byEnd.every((last) => {
      if (last.fromMs < fromMs) return true;
      within2 += 1;
      return within2 <= limit2 + gained(fromMs, last.toMs);
    });
  });
}

// src/rate-limit/own-budgets.ts
function isQuiet(exchange, evidence) {
  const windowMs = evidence.target.rate.seconds * 1e3;
  return underWay(evidence, exchange.sentAtMs - windowMs, exchange.receivedAtMs).every(
    (other) => other === exchange || other.account === exchange.account && other.account !== null || haveOwnBudgets(other.account, exchange.account, evidence)
  );
}
var MOST_COMPARED = 100;
function haveOwnBudgets(account, other, evidence) {
  if (account === null || other === null) return false;
  return pairsWithOwnBudgets(evidence).has([account, other].sort().join("\n"));
}
var pairsWithOwnBudgets = once((evidence) => {
  const { rate, accounts } = evidence.target;
  const accepted2 = accounts.map(({ name }) => ({
    name,
    decisions: letThrough(ownOf(evidence, name), evidence).slice(0, MOST_COMPARED).map(decisionOf)
  }));
  const limited = accepted2.filter(({ decisions }) => isExplained(decisions, rate));
  const pairs = limited.flatMap((account, i) => limited.slice(i + 1).map((other) => [account, other]));
  return new Set(
    pairs.filter(([account, other]) => !isExplained([...account.decisions, ...other.decisions], rate)).map(([account, other]) => [account.name, other.name].sort().join("\n"))
  );
});

// src/rate-limit/spaced-requests.ts
function spacedOf(evidence, account) {
  const spaced = turnsOf(evidence, account).filter(
    (turn) => isSpaced(turn, evidence, isRefused(turn.next, evidence) ? LITTLE_MS : 0)
  );
  return spaced.map(({ next }) => next).filter((exchange) => isWhole(exchange) && !exchange.resent);
}
function refusedAlone(evidence, account) {
  return spacedOf(evidence, account).filter((exchange) => isRefusedInQuiet(exchange, evidence));
}
function refusedThoughSilent(evidence, account) {
  const leastMs = evidence.target.rate.seconds * 1e3 + LITTLE_MS;
  return turnsOf(evidence, account).filter((turn) => waitedMs(turn) >= leastMs && turn.before.every(isWhole)).map(({ next }) => next).filter((exchange) => isWhole(exchange) && !exchange.resent && isRefusedInQuiet(exchange, evidence));
}
function isRefusedInQuiet(exchange, evidence) {
  return isRefused(exchange, evidence) && isQuiet(exchange, evidence);
}
var TELLING_REQUESTS = 3;
function chargedOf(evidence, account) {
  return ownOf(evidence, account).filter((exchange) => !isRefused(exchange, evidence));
}
function sinceLastMs(exchange, others) {
  const { sentAtMs } = exchange;
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const other of others)
    if (other !== exchange && other.receivedAtMs <= sentAtMs) lastMs = Math.max(lastMs, other.receivedAtMs);
  return sentAtMs - lastMs;
}
function trialsAfterWrongKeys(refused, asked2) {
  if (refused > 1) return 2;
  return asked2 > 1 ? 4 : 3;
}

// src/rate-limit/stricter.ts
function mayBeTooSoon(exchange, evidence) {
  if (isAccepted(exchange)) return false;
  const own = ownOf(evidence, exchange.account ?? "").filter(isWhole);
  const accepted2 = own.filter(isAccepted);
  const usual = own.filter(({ probe: probe2, request }) => probe2.group !== "header-case" && request.url.endsWith("/webhooks"));
  const cameMs = sinceLastMs(exchange, accepted2);
  const isBeside = (other) => accepted2.some(({ sentAtMs, receivedAtMs }) => sentAtMs < other.receivedAtMs && receivedAtMs > other.sentAtMs);
  const isTurnedAway = (other) => !isAccepted(other) && !isBeside(other) && sinceLastMs(other, accepted2) >= evidence.target.rate.seconds * 1e3;
  const isNoLater = (other) => isAccepted(other) && sinceLastMs(other, accepted2) <= cameMs + LITTLE_MS;
  return usual.some(isTurnedAway) && !usual.some(isNoLater);
}
var fitsLongerWindows = once((evidence) => {
  const names = evidence.target.accounts.map(({ name }) => name);
  if (names.every((name) => refusedAlone(evidence, name).length === 0)) return false;
  const users = names.map((name) => {
    const own = ownOf(evidence, name).filter((exchange) => isWhole(exchange) && !exchange.resent);
    const decided = (exchanges) => exchanges.map(decisionOf);
    const refused = own.filter((exchange) => isRefused(exchange, evidence));
    const charged = chargedOf(evidence, name);
    return { accepted: decided(letThrough(own, evidence)), refused: decided(refused), charged: decided(charged) };
  });
  return isExplainedByLonger(users, evidence.target.rate);
});
function refusedTooOften(evidence) {
  const refused = evidence.target.accounts.map(({ name }) => [name, refusedAlone(evidence, name)]);
  const isOfAll = fitsLongerWindows(evidence) && refused.flatMap(([, some]) => some).length > 1;
  return new Map(refused.filter(([, some]) => some.length > (isOfAll ? 0 : 1)));
}
var LONGER = 1.25;
var AT_ONCE = 0.1;
function showsDeclaredRate(evidence, account) {
  const { requests, seconds } = evidence.target.rate;
  if (requests !== 1) return false;
  const windowMs = seconds * 1e3;
  const own = ownOf(evidence, account).filter(isWhole);
  const isJustAgain = (exchange, before) => {
    const sinceMs = before && isRefused(before, evidence) ? exchange.sentAtMs - before.receivedAtMs : -1;
    return sinceMs >= 0 && sinceMs < AT_ONCE * windowMs;
  };
  const through = new Set(letThrough(own, evidence));
  const moments = own.filter((exchange, i) => through.has(exchange) && isJustAgain(exchange, own[i - 1]));
  return moments.some(
    (exchange) => [...through].some(
      (next) => next.sentAtMs >= exchange.receivedAtMs && next.receivedAtMs - exchange.sentAtMs < LONGER * windowMs
    )
  );
}

// src/evidence/http/html-names.ts
var ASCII = "Tab 9 NewLine a excl 21 quot 22 QUOT 22 num 23 dollar 24 percnt 25 amp 26 AMP 26 apos 27 lpar 28 rpar 29 ast 2a midast 2a plus 2b comma 2c period 2e sol 2f colon 3a semi 3b lt 3c LT 3c equals 3d gt 3e GT 3e quest 3f commat 40 lsqb 5b lbrack 5b bsol 5c rsqb 5d rbrack 5d Hat 5e lowbar 5f UnderBar 5f grave 60 lcub 7b lbrace 7b verbar 7c vert 7c rcub 7d rbrace 7d euro 20ac hyphen 2010 dash 2010";
var LATIN_1 = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";
var CODE_POINTS = new Map([
  ...[...ASCII.matchAll(/(\w+) (\w+)/g)].map(([, name = "", code = ""]) => [name, Number.parseInt(code, 16)]),
  ...LATIN_1.split(" ").map((name, i) => [name, 160 + i])
]);
function codePointOf(name) {
  return CODE_POINTS.get(name);
}

// src/evidence/http/escapes.ts
var withHexDigits = (source) => new RegExp(source.replaceAll("H", "[0-9a-fA-F]"), "g");
var LETTERS = { b: "\b", f: "\f", n: "\n", r: "\r", t: "	", v: "\v" };
var KINDS2 = [
  {
    introducer: "\\",
    // A surrogate pair, `\u0041`, `\u{41}`, `\x41`, `\n`.
    form: withHexDigits(
      String.raw`\\(?:[uU]([dD][89abAB]HH)\\[uU]([dD][c-fC-F]HH)|[uU](HHHH)|u\{(H{1,6})\}|x(HH)|(["\\/'bfnrtv]))`
    ),
    meaning([high, low, unit, braced, byte, letter]) {
      if (letter !== void 0) return LETTERS[letter] ?? letter;
      if (high === void 0 || low === void 0) return utf8Of(hexadecimal(unit ?? braced ?? byte));
      return utf8Of(65536 + (hexadecimal(high) - 55296 << 10) + (hexadecimal(low) - 56320));
    }
  },
  {
    introducer: "%",
    form: withHexDigits("%(HH)"),
    meaning: ([byte]) => String.fromCharCode(hexadecimal(byte))
  },
  {
    introducer: "&",
    // `&#x41;` and `&#65;`, with or without the semicolon, and `&amp;`.
    form: withHexDigits("&(?:#[xX](H{1,8});?|#([0-9]{1,8});?|([A-Za-z0-9]{1,9});)"),
    meaning([hex, decimal, name = ""]) {
      const code = hex ? hexadecimal(hex) : decimal ? Number(decimal) : codePointOf(name);
      return code === void 0 ? null : utf8Of(code);
    }
  }
];
function hexadecimal(digits = "") {
  return Number.parseInt(digits, 16);
}
function utf8Of(code) {
  return code > 1114111 ? "" : Buffer.from(String.fromCodePoint(code)).toString("latin1");
}
var LINE_BREAK = {
  introducer: "\n",
  form: /\r?\n(?<=[A-Za-z0-9+/_-]{64}\r?\n)(?=[A-Za-z0-9+/_=-])/g,
  meaning: () => ""
};
function* readingsOf(text2) {
  const source = { text: text2, places: null };
  yield* unbroken(source);
  for (const outer of KINDS2) {
    const once2 = read3(source, outer);
    if (!once2) continue;
    yield* unbroken(once2);
    for (const inner of KINDS2) {
      const twice = read3(once2, inner);
      if (twice) yield* unbroken(twice);
    }
  }
}
function* unbroken(reading) {
  yield reading;
  const joined = read3(reading, LINE_BREAK);
  if (joined) yield joined;
}
function read3({ text: text2, places }, { introducer, form, meaning }) {
  if (!text2.includes(introducer)) return null;
  const placeOf3 = (index) => places ? places[index] ?? 0 : index;
  const parts = [];
  let read4 = null;
  let [at, length] = [0, 0];
  for (const found of text2.matchAll(form)) {
    const [whole, ...groups2] = found;
    const bytes = meaning(groups2);
    if (bytes === null) continue;
    read4 ??= new Int32Array(text2.length + 1);
    parts.push(text2.slice(at, found.index), bytes);
    for (; at < found.index; at += 1, length += 1) read4[length] = placeOf3(at);
    for (let i = 0; i < bytes.length; i += 1, length += 1) read4[length] = placeOf3(at);
    at += whole.length;
  }
  if (!read4) return null;
  parts.push(text2.slice(at));
  for (; at <= text2.length; at += 1, length += 1) read4[length] = placeOf3(at);
  return { text: parts.join(""), places: read4.subarray(0, length) };
}

// src/judge/finding.ts
function notTested(reason) {
  return { breaches: [], evidence: [], notTested: reason };
}
function inapplicable(exchanges, reason) {
  return { ...judged(exchanges, []), inapplicable: reason };
}
function unlessUnseen(finding, why, evidence = finding.evidence) {
  return why === null || finding.breaches.length > 0 ? finding : { ...notTested(why), evidence };
}
function judged(entries, breaches) {
  return { breaches, evidence: [...new Set(entries.map(({ index }) => index))], notTested: null };
}
function each(exchanges, none, check) {
  const whole = exchanges.filter(isWhole);
  if (whole.length === 0) return notTested(exchanges.length > 0 ? BROKEN : none);
  return judged(whole, breachesIn(whole, check));
}
function breachesIn(exchanges, check) {
  return exchanges.flatMap(
    (exchange) => [check(exchange) ?? []].flat().map((flaw) => ({ ...flaw, exchanges: [exchange] }))
  );
}
function headerFlaw(name, got, expected) {
  return { subject: { kind: "header", name }, expected, got };
}
function memberFlaw(path, got, expected) {
  return { subject: { kind: "member", name: path }, expected, got };
}
function requestFlaw(how, got, expected) {
  return { subject: { kind: "request", name: how }, expected, got };
}
function answerFlaw(got, expected) {
  return { subject: { kind: "answer", name: "the answer" }, expected, got };
}
function accountFlaw(name, got, expected) {
  return { subject: { kind: "account", name }, expected, got };
}
var BROKEN = "no answer to this arrived whole: fix transport.complete first";

// src/judge/leaks.ts
var SECRET_NAME = /passw(?:or)?d|passphrase|passcode|\bpwd\b|^pw$|secret/i;
var DESCRIBED_SECRETS = ["webhook.auth.basic.password", "webhook.auth.basic.hasPassword"];
var MAY_EQUAL = ["auth.basic.username", "auth.type", "auth.apikey.header", "auth.apikey.apikey"];
var WHOLE_PASSWORD = /^\[secret:password:[^\]]+\]$/;
var USERNAME_IN_TEXT = /username["'\s]*[:=]\s*["']?\[secret:password:[^\]]+\]/gi;
function passwordsInResponses(evidence) {
  const answered = evidence.exchanges.filter(({ response }) => response);
  if (answered.length === 0) return notTested("Nothing was answered.");
  const harmless = passwordsThatSettingsHold(evidence);
  const breaches = breachesIn(answered, (exchange) => leakIn(exchange, evidence, harmless));
  const isDeclared = evidence.target.accounts.some(({ passwordDeclared }) => passwordDeclared);
  return unlessUnseen(
    judged(answered, breaches),
    isDeclared ? null : "Declare the stored `password` of an account in the target file: it is looked for in every response."
  );
}
function passwordInWords(account, evidence) {
  return `the ${isPasswordDeclared(account, evidence) ? "declared" : "stored"} password of ${account}`;
}
function isPasswordDeclared(account, evidence) {
  return declaredOf(evidence, account)?.passwordDeclared ?? false;
}
function passwordsThatSettingsHold(evidence) {
  const documents = [
    ...evidence.target.accounts.map(({ settings }) => settings),
    ...ownReads(evidence).map((read4) => bodyAt(read4, "webhook"))
  ];
  const values = documents.flatMap((document) => MAY_EQUAL.map((path) => memberAt(document, ...path.split(".")))).filter((value) => typeof value === "string" && WHOLE_PASSWORD.test(value));
  return new Set(values.flatMap((value) => ownerOfPassword(value) ?? []));
}
var MAY_LEAK = /\[secret:|\\|(?:passw|passphrase|passcode|pw|secret)[^"]{0,200}"[ \t\r\n]{0,200}:[ \t\r\n]{0,200}"/i;
function leakIn(exchange, evidence, harmless) {
  const { response } = exchange;
  const { headers, aside = [], statusText, body } = response;
  for (const [name, value] of [...headers, ...aside]) {
    const owner = ownerOfPassword(`${name}
${value}`, harmless);
    if (owner !== null) return headerFlaw(withoutMarkers(name), passwordInWords(owner, evidence), NO_PASSWORD);
  }
  const said = ownerOfPassword(statusText, harmless);
  if (said !== null) return answerFlaw(`${passwordInWords(said, evidence)} in the status line`, NO_PASSWORD);
  if (outlined(body) === void 0) {
    const owner = ownerOfPassword(searchable(response).replace(USERNAME_IN_TEXT, ""), harmless);
    return owner === null ? null : answerFlaw(`${passwordInWords(owner, evidence)} in the body`, NO_PASSWORD);
  }
  const document = MAY_LEAK.test(body) ? parsed(body) : void 0;
  if (document === void 0) return null;
  const strings = [...stringsIn(document)];
  for (const { path, text: text2 } of strings) {
    const owner = ownerOfPassword(text2);
    if (owner !== null && !mayHold(path, text2, owner, exchange, evidence))
      return memberFlaw(belowWebhook(path), passwordInWords(owner, evidence), NO_PASSWORD);
  }
  if (passwordsIn(body).length > strings.flatMap(({ text: text2 }) => passwordsIn(text2)).length)
    return answerFlaw(
      "a stored password in a member name, or in a member that a later one of the same name hides",
      NO_PASSWORD
    );
  const telling = strings.find(
    ({ path }) => SECRET_NAME.test(path.split(".").at(-1) ?? "") && !DESCRIBED_SECRETS.includes(path)
  );
  if (!telling) return null;
  return memberFlaw(belowWebhook(telling.path), "a string, where the name speaks of a secret", NO_PASSWORD);
}
var NO_PASSWORD = "no stored password anywhere";
function belowWebhook(path) {
  return path.replace(/^webhook\./, "");
}
function passwordsIn(text2) {
  return markersIn(text2).filter(({ kind }) => kind === "password");
}
function ownerOfPassword(text2, harmless = /* @__PURE__ */ new Set()) {
  return passwordsIn(text2).find(({ name, form }) => form !== void 0 || !harmless.has(name))?.name ?? null;
}
function mayHold(path, text2, owner, exchange, { target }) {
  const below = belowWebhook(path);
  return target.accounts.filter(({ name }) => exchange.account === null || name === exchange.account || name === owner).map(({ settings }) => memberAt(settings, ...below.split("."))).some(
    (declared) => declared === void 0 ? MAY_EQUAL.includes(below) && WHOLE_PASSWORD.test(text2) : declared === text2
  );
}

// src/judge/disclosure.ts
var SHORTEST_ADDRESS = 11;
var SHORTEST_USERNAME = 4;
var SHORTEST_TELLING_USERNAME = 6;
function settingsInRejections(evidence) {
  const rejections = evidence.exchanges.filter(
    (exchange) => exchange.account === null && isWhole(exchange) && !isAccepted(exchange)
  );
  const privateTexts = privateTextsOf(evidence);
  return each(rejections, "no request without a valid key was rejected", (rejection) => {
    const disclosed = disclosedBy(rejection, privateTexts, evidence);
    if (disclosed === null) return null;
    return answerFlaw(`${statusOf(rejection)} with ${disclosed} in its body`, "none of the settings");
  });
}
function disclosedBy(rejection, privateTexts, evidence) {
  if (disclosesSettings(rejection)) return "webhook settings";
  const body = rejection.response ? searchable(rejection.response) : "";
  const markers = markersIn(body);
  const password = markers.find(({ kind }) => kind === "password");
  if (password) return passwordInWords(password.name, evidence);
  if (markers.some(({ kind }) => kind === "receiverKey")) return "a receiver's key";
  const readings = [...readingsOf(bytesOf(body))];
  return [...privateTexts].find(([sought]) => readings.some(({ text: text2 }) => holds(text2, sought)))?.[1] ?? null;
}
function privateTextsOf(evidence) {
  const served = evidence.exchanges.filter((exchange) => exchange.account !== null && isAccepted(exchange));
  const documents = [
    ...evidence.target.accounts.map(({ settings }) => settings),
    ...served.map(({ response }) => settingsIn(response?.body ?? ""))
  ];
  const found = /* @__PURE__ */ new Map();
  for (const document of documents) {
    for (const kind of KINDS) {
      const url = memberAt(document, kind, "url");
      if (typeof url === "string" && url.length >= SHORTEST_ADDRESS)
        found.set(bytesOf(url), `the receiver's address for "${kind}"`);
    }
    const username = memberAt(document, "auth", "basic", "username");
    if (typeof username !== "string" || username.length < SHORTEST_USERNAME) continue;
    const isTelling = username.length >= SHORTEST_TELLING_USERNAME && /[^A-Za-z]/.test(username);
    found.set(bytesOf(isTelling ? username : `"${username}"`), "the receiver's user name");
  }
  return found;
}
function bytesOf(text2) {
  return Buffer.from(text2, "utf8").toString("latin1");
}
function holds(body, text2) {
  const goesOn = text2.includes("://") ? /^(?:[A-Za-z0-9/?#&=_~%-]|[.][A-Za-z0-9])/ : /^[\w-]/;
  for (let at = body.indexOf(text2); at >= 0; at = body.indexOf(text2, at + 1)) {
    const rest = body.slice(at + text2.length);
    const isWord = !/\w/.test(body.charAt(at - 1)) && !goesOn.test(rest);
    if (text2.startsWith('"') ? !/^\s*:/.test(rest) : isWord) return true;
  }
  return false;
}

// src/judge/auth.ts
var authRules = {
  "auth.accepted": { needs: ["read"], judge: validKeysAreAccepted },
  "auth.missing-key": rejects("missing-key"),
  "auth.empty-key": rejects("empty-key"),
  "auth.unknown-key": rejects("unknown-key"),
  "auth.altered-key": rejects("altered-key"),
  "auth.other-carrier": { needs: ["other-carrier", "base-rejected"], judge: otherCarriersAreRejected },
  "auth.key-in-url": {
    needs: ["key-in-url"],
    judge: (evidence) => evidence.target.riskyProbes ? rejects("key-in-url").judge(evidence) : notTested("A valid key in a URL may end up in logs: set RISKY_PROBES=1 to send it.")
  },
  "auth.no-session": rejects("session", "after-accepted"),
  "auth.base-path-rejected": rejects("base-rejected"),
  "auth.base-path-accepted": {
    needs: ["base-accepted", "missing-key", "base-rejected"],
    judge: basePathIsOpenToValidKeys
  },
  "auth.every-path": ofCounted(["every-path"], servedWithoutKey),
  "auth.every-method": { needs: ["every-method"], judge: noMethodIsAccepted, ofBodies: "accepted" },
  "auth.header-name-case": {
    needs: ["header-case"],
    judge(evidence) {
      const both = exchangesOf(evidence, "base-accepted").filter(({ probe: { form } }) => form !== "").filter(isAccepted);
      const probes = [
        ...exchangesOf(evidence, "header-case").filter((exchange) => isAboutTheKey(exchange, evidence)),
        ...both
      ];
      return each(
        probes,
        whyNotSent(evidence, "header-case", "every such request was refused because of the rate limit"),
        (exchange) => isAccepted(exchange) ? null : asked(exchange, "a 2xx, as header names have no case")
      );
    }
  },
  "auth.rejection-status": { needs: ["missing-key", "empty-key", "unknown-key"], judge: rejectionsAreClientErrors },
  "auth.rejection-401-403": {
    needs: ["missing-key", "empty-key", "unknown-key"],
    judge: (evidence) => each(
      countedWithoutKey(evidence, MUST_BE_REJECTED).filter(isRejection),
      "no request without a valid key was rejected",
      flawOfRejection
    )
  },
  "auth.rejection-discloses-nothing": {
    needs: ["read", "missing-key", "empty-key", "unknown-key"],
    judge: settingsInRejections,
    ofBodies: "all"
  },
  "auth.own-settings": { needs: ["read"], judge: eachGetsItsOwn(true) },
  "auth.isolation": { needs: ["together"], judge: eachGetsItsOwn(false) },
  "auth.key-not-echoed": {
    needs: ["read", "missing-key", "unknown-key"],
    judge: (evidence) => each(evidence.exchanges, "nothing was sent", echoedKey),
    ofBodies: "all"
  },
  "auth.not-publicly-cacheable": {
    needs: ["read"],
    judge(evidence) {
      const accepted2 = evidence.exchanges.filter((exchange) => exchange.account !== null && isAccepted(exchange));
      return each(accepted2, "no request with a valid key was accepted", publicCaching);
    }
  }
};
var MUST_BE_REJECTED = groupsWhere(({ answer }) => answer === "rejected");
var NEVER_SERVED = groupsWhere(({ answer }) => answer === "not-served");
function otherCarriersAreRejected(evidence) {
  const bare2 = exchangesOf(evidence, "base-rejected").filter(isWhole);
  const isOpen = bare2.length > 0 && !bare2.some(isRejection);
  const exchanges = evidence.exchanges.filter(
    (exchange) => !isOpen || exchange.probe.group !== "other-carrier" || !isAtTheBase(exchange)
  );
  return rejects("other-carrier").judge({ ...evidence, exchanges });
}
function isAtTheBase({ request }) {
  return request.url.endsWith("/");
}
function validKeysAreAccepted(evidence) {
  const wasAccepted = (account) => evidence.exchanges.some((exchange) => exchange.account === account && isAccepted(exchange));
  const reads = exchangesOf(evidence, "read", "together").filter(
    (read4) => !isRefused(read4, evidence) || !wasAccepted(read4.account)
  );
  return each(reads, whyNotSent(evidence, "read", "no account was read"), (read4) => {
    if (isAccepted(read4)) return null;
    const question = wasAccepted(read4.account) ? "" : " (are the key and the address right?)";
    return requestFlaw(`to the valid key of ${read4.account}${question}`, String(statusOf(read4)), "a 2xx");
  });
}
function isAboutTheKey(exchange, evidence) {
  return !isRefused(exchange, evidence) && !mayBeTooSoon(exchange, evidence);
}
function basePathIsOpenToValidKeys(evidence) {
  const probes = exchangesOf(evidence, "base-accepted").filter(
    (exchange) => isAboutTheKey(exchange, evidence) && (exchange.probe.form === "" || isAccepted(exchange))
  );
  const statusesWithoutKey = exchangesOf(evidence, "base-rejected", "missing-key").map(statusOf);
  const turnsAway = (status) => status === 401 || status === 403 || status >= 500 || statusesWithoutKey.includes(status);
  const flawOf2 = (exchange) => asked(exchange, "a 2xx");
  const finding = each(
    probes,
    whyNotSent(evidence, "base-accepted", "no request to the base path was let through"),
    (exchange) => !isAccepted(exchange) && turnsAway(statusOf(exchange)) ? flawOf2(exchange) : null
  );
  const odd = probes.filter((exchange) => isWhole(exchange) && !isAccepted(exchange) && !turnsAway(statusOf(exchange)));
  return { ...finding, warnings: breachesIn(odd, flawOf2) };
}
function noMethodIsAccepted(evidence) {
  const finding = ofCounted(["every-method"], servedWithoutKey).judge(evidence);
  if (evidence.target.riskyProbes || finding.notTested !== null) return finding;
  return unlessUnseen(
    finding,
    "HEAD did not succeed without a key; POST, PUT, PATCH and DELETE were not sent: set RISKY_PROBES=1 to send them."
  );
}
function rejectionsAreClientErrors(evidence) {
  const described = countedWithoutKey(evidence, MUST_BE_REJECTED).filter((exchange) => !letsIn(exchange));
  const others = countedWithoutKey(evidence, NEVER_SERVED).filter(
    (exchange) => statusOf(exchange) >= 500 && statusOf(exchange) !== 501
  );
  return each([...described, ...others], "no request without a valid key was rejected", notRejected);
}
function flawOfRejection(rejection) {
  const status = statusOf(rejection);
  if (status === 403 || status === 429) return null;
  if (status !== 401) return asked(rejection, "401 or 403");
  return valuesOf(rejection, "WWW-Authenticate").length > 0 ? null : headerFlaw("WWW-Authenticate", "absent from a 401", "a challenge with every 401");
}
function echoedKey({ response }) {
  const { headers = [], aside = [], statusText = "" } = response ?? {};
  const text2 = [statusText, ...headers.flat(), ...aside.flat(), response ? searchable(response) : ""].join("\n");
  const key = markersIn(text2).find(({ kind, form }) => kind === "apiKey" && isTheSecret(form));
  return key ? answerFlaw(`the valid key of ${key.name} in the response`, "no valid key in any response") : null;
}
function publicCaching(exchange) {
  const control = valuesOf(exchange, "Cache-Control").join(",").toLowerCase();
  const isForAll = /(?:^|[\s,])(?:public|s-maxage)\b/.test(control);
  if (!isForAll || /(?:^|[\s,])(?:no-store|private)\b/.test(control)) return null;
  const vary = valuesOf(exchange, "Vary").flatMap((value) => value.toLowerCase().split(",")).map((name) => name.trim());
  return vary.includes("apikey") || vary.includes("*") ? null : headerFlaw(
    "Cache-Control",
    `${withoutMarkers(control)}, without Vary: apiKey`,
    "private or no-store, or Vary: apiKey"
  );
}
function askedWithoutKey(evidence, groups2) {
  return evidence.exchanges.filter(
    (exchange) => exchange.account === null && groups2.includes(standsFor(exchange.probe).group)
  );
}
function countedWithoutKey(evidence, groups2) {
  return countedAnswers(askedWithoutKey(evidence, groups2), evidence);
}
function rejects(...groups2) {
  return ofCounted(groups2, notRejected);
}
function ofCounted(groups2, check) {
  return {
    needs: groups2,
    judge(evidence) {
      const none = whyNotSent(evidence, groups2[0], notAsked(evidence));
      const finding = each(countedWithoutKey(evidence, groups2), none, check);
      const hidden = hiddenAnswers(askedWithoutKey(evidence, groups2), evidence);
      return unlessUnseen(
        finding,
        whyHidden(hidden, evidence),
        hidden.map(({ index }) => index)
      );
    }
  };
}
function notRejected(exchange) {
  return isRejection(exchange) ? null : asked(exchange, "a 4xx", answerOf(exchange));
}
function notAsked(evidence) {
  return bansOf(evidence).length > 0 ? "while this was asked, the address was banned for its wrong keys: ask the operator to exempt it from that defence while the suite runs" : "no such request was sent";
}
function whyHidden(hidden, evidence) {
  const [first] = hidden;
  if (!first) return null;
  const wrongKeys2 = evidence.exchanges.filter(
    (exchange) => exchange.account === null && exchange.index <= first.index
  ).length;
  return `${hidden.length} of these requests got nothing but ${statusOf(first)} from a guard or a limiter before authentication, after ${wrongKeys2} wrong keys, so what the server says to them was not seen: ask the operator to exempt this address from it while the suite runs.`;
}
function isRejection(exchange) {
  return isWhole(exchange) && Math.floor(statusOf(exchange) / 100) === 4;
}
function asked(exchange, expected, got = String(statusOf(exchange))) {
  return requestFlaw(wordsOf(exchange.probe), got, expected);
}
function answerOf(exchange) {
  return `${statusOf(exchange)}${disclosesSettings(exchange) ? " with the settings" : ""}`;
}
function servedWithoutKey(exchange) {
  const { method: method2 } = exchange.request;
  const isServed = isAccepted(exchange) && (method2 !== "OPTIONS" || disclosesSettings(exchange));
  return isServed ? asked(exchange, "any status but 2xx", answerOf(exchange)) : null;
}
function letsIn(exchange) {
  const isLetIn = isWithheld(exchange) || isAtTheBase(exchange) || bodyAt(exchange, "webhook") !== void 0;
  return isAccepted(exchange) && isLetIn;
}
function eachGetsItsOwn(alone) {
  return (evidence) => {
    if (evidence.target.accounts.length < 2)
      return notTested(
        "Declare a second account in the target file: what one account gets is compared with another\u2019s."
      );
    const reads = readsOf(evidence).filter((read4) => overlapsAnother(read4, evidence) !== alone);
    if (reads.length === 0) return notTested(whyNoRead(evidence, "no read of two accounts was accepted"));
    const foreign = foreignReads(evidence);
    const breaches = breachesIn(
      reads,
      ({ index, account }) => foreign.has(index) ? requestFlaw(`to the key of ${account}`, `the settings of ${foreign.get(index)}`, `the settings of ${account}`) : null
    );
    if (breaches.length === 0 && !settingsDiffer(evidence)) {
      return notTested(
        whyNoRead(
          evidence,
          "All accounts gave the same settings, so a mix-up would not show: declare accounts whose settings differ."
        )
      );
    }
    return judged(reads, breaches);
  };
}
function overlapsAnother(exchange, evidence) {
  return underWay(evidence, exchange.sentAtMs, exchange.receivedAtMs).some(
    (other) => other.account !== null && other.account !== exchange.account
  );
}
function settingsDiffer(evidence) {
  return new Set(evidence.target.accounts.flatMap(({ name }) => usualSettings(evidence, name) ?? [])).size > 1;
}

// schemas/webhook-settings.schema.json
var webhook_settings_schema_default = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "https://assessment-api-conformance.example/schemas/webhook-settings.schema.json",
  title: "Webhook settings",
  description: "What GET /webhooks answers: for each notification kind whether it is on and where it goes, and how its receiver is authenticated. Holds all that the settings clauses with level must ask of one document, as far as a schema can say it. Members that the description does not know are allowed below `webhook`, not beside it.",
  type: "object",
  required: ["webhook"],
  additionalProperties: false,
  properties: {
    webhook: {
      title: "Webhook",
      description: "The settings of the account that owns the key.",
      $ref: "#/$defs/withoutSecrets",
      type: "object",
      required: ["start", "submission", "updates", "auth"],
      properties: {
        start: {
          title: "Start notification",
          description: 'The setting of the "start" kind.',
          $ref: "#/$defs/kind"
        },
        submission: {
          title: "Submission notification",
          description: 'The setting of the "submission" kind.',
          $ref: "#/$defs/kind"
        },
        updates: {
          title: "Updates notification",
          description: 'The setting of the "updates" kind.',
          $ref: "#/$defs/kind"
        },
        auth: {
          $ref: "#/$defs/auth"
        }
      },
      examples: [
        {
          start: {
            status: true,
            url: "https://hooks.example.com/assessments/start"
          },
          submission: {
            status: true,
            url: "https://hooks.example.com/assessments/submission?team=7"
          },
          updates: {
            status: false,
            url: "https://hooks.example.com/assessments/updates"
          },
          auth: {
            status: true,
            type: "basic",
            basic: {
              username: "receiver",
              password: null,
              hasPassword: true
            },
            apikey: {
              header: null,
              apikey: null
            }
          }
        }
      ]
    }
  },
  $defs: {
    kind: {
      title: "Notification kind",
      description: "Whether a notification kind is on, and where it is sent.",
      type: "object",
      required: ["status", "url"],
      properties: {
        status: {
          title: "Switch",
          description: "Whether the kind is sent.",
          type: "boolean",
          examples: [true]
        },
        url: {
          $ref: "#/$defs/url"
        }
      },
      examples: [
        {
          status: true,
          url: "https://hooks.example.com/start"
        }
      ]
    },
    url: {
      title: "Receiver address",
      description: "Where the notification is sent: an absolute http or https URL with a host, in any script.",
      type: "string",
      pattern: '^[Hh][Tt][Tt][Pp][Ss]?://(?:[^\\x00-\\x20"<>\\\\\\x7f-\\xa0/?#@]*@)?(?:\\[[0-9A-Fa-f:.]+\\]|[^\\x00-\\x20"<>\\\\\\x7f-\\xa0/?#@:\\[\\]]+)(?::(?:0*(?:6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5]?[0-9]{1,4}))?)?(?:/[^\\x00-\\x20"<>\\\\\\x7f-\\xa0?#]*)?(?:\\?[^\\x00-\\x20"<>\\\\\\x7f-\\xa0#]*)?(?:#[^\\x00-\\x20"<>\\\\\\x7f-\\xa0]*)?$',
      examples: ["https://hooks.example.com/start", "http://127.0.0.1:9099/submission?team=7"]
    },
    auth: {
      title: "Receiver authentication",
      description: "How the service authenticates to the receivers. The credentials of both schemes are present, whichever is in use.",
      type: "object",
      required: ["status", "type", "basic", "apikey"],
      properties: {
        status: {
          title: "Switch",
          description: "Whether receivers are sent credentials.",
          type: "boolean",
          examples: [true]
        },
        type: {
          title: "Scheme",
          description: '"basic" is the only scheme that the description shows. Any other text names a scheme that it leaves open.',
          type: "string",
          minLength: 1,
          examples: ["basic"]
        },
        basic: {
          title: "Credentials of the basic scheme",
          description: "A username, and whether a password is stored. The password itself is never served.",
          type: "object",
          required: ["username", "password", "hasPassword"],
          properties: {
            username: {
              title: "Username",
              description: "A string, or null where no username is set.",
              type: ["string", "null"],
              examples: ["receiver", null]
            },
            password: {
              title: "Password",
              description: "Null, even where a password is stored.",
              type: "null",
              examples: [null]
            },
            hasPassword: {
              title: "Password stored",
              description: "True if and only if a password is stored.",
              type: "boolean",
              examples: [true]
            }
          },
          examples: [
            {
              username: "receiver",
              password: null,
              hasPassword: true
            }
          ]
        },
        apikey: {
          title: "Credentials of the API-key scheme",
          description: "A header and the key that it carries. The description leaves open which types they have when they are set.",
          type: "object",
          required: ["header", "apikey"],
          properties: {
            header: {
              title: "Header",
              description: "Name of the header; null while the scheme is not in use.",
              examples: [null, "X-Receiver-Key"]
            },
            apikey: {
              title: "Key",
              description: "Value of the header; null while the scheme is not in use.",
              examples: [null, "receiver-key-1"]
            }
          },
          examples: [
            {
              header: null,
              apikey: null
            }
          ]
        }
      },
      if: {
        properties: {
          type: {
            const: "basic"
          }
        },
        required: ["type"]
      },
      then: {
        description: 'While the type is "basic", the API-key scheme is not in use.',
        properties: {
          apikey: {
            type: "object",
            properties: {
              header: {
                type: "null"
              },
              apikey: {
                type: "null"
              }
            },
            additionalProperties: true
          }
        },
        additionalProperties: true
      },
      examples: [
        {
          status: true,
          type: "basic",
          basic: {
            username: "receiver",
            password: null,
            hasPassword: true
          },
          apikey: {
            header: null,
            apikey: null
          }
        }
      ]
    },
    withoutSecrets: {
      title: "No secret in disguise",
      description: "At any depth, a member with a name such as `secret` or `passphrase` holds no string. The described members do not either: `password` is null and `hasPassword` is a boolean.",
      allOf: [
        {
          if: {
            type: "object"
          },
          then: {
            type: "object",
            patternProperties: {
              "[Pp][Aa][Ss][Ss][Ww][Oo][Rr][Dd]|[Pp][Aa][Ss][Ss][Ww][Dd]|[Pp][Aa][Ss][Ss][Pp][Hh][Rr][Aa][Ss][Ee]|[Pp][Aa][Ss][Ss][Cc][Oo][Dd][Ee]|[Ss][Ee][Cc][Rr][Ee][Tt]|(?:^|[^A-Za-z0-9_])[Pp][Ww][Dd](?:[^A-Za-z0-9_]|$)|^[Pp][Ww]$": {
                $ref: "#/$defs/withoutSecrets",
                not: {
                  type: "string"
                }
              }
            },
            additionalProperties: {
              $ref: "#/$defs/withoutSecrets"
            }
          }
        },
        {
          if: {
            type: "array"
          },
          then: {
            type: "array",
            items: {
              $ref: "#/$defs/withoutSecrets"
            }
          }
        }
      ],
      examples: [
        {
          region: "eu",
          tags: ["a", "b"]
        }
      ]
    }
  },
  examples: [
    {
      webhook: {
        start: {
          status: true,
          url: "https://hooks.example.com/assessments/start"
        },
        submission: {
          status: true,
          url: "https://hooks.example.com/assessments/submission?team=7"
        },
        updates: {
          status: false,
          url: "https://hooks.example.com/assessments/updates"
        },
        auth: {
          status: true,
          type: "basic",
          basic: {
            username: "receiver",
            password: null,
            hasPassword: true
          },
          apikey: {
            header: null,
            apikey: null
          }
        }
      }
    },
    {
      webhook: {
        start: {
          status: true,
          url: "https://hooks.example.com/assessments/start"
        },
        submission: {
          status: true,
          url: "https://hooks.example.com/assessments/submission?team=7"
        },
        updates: {
          status: false,
          url: "https://hooks.example.com/assessments/updates"
        },
        auth: {
          status: false,
          type: "basic",
          basic: {
            username: null,
            password: null,
            hasPassword: false
          },
          apikey: {
            header: null,
            apikey: null
          }
        }
      }
    },
    {
      webhook: {
        start: {
          status: true,
          url: "https://hooks.example.com/assessments/start"
        },
        submission: {
          status: true,
          url: "https://hooks.example.com/assessments/submission?team=7"
        },
        updates: {
          status: false,
          url: "https://hooks.example.com/assessments/updates"
        },
        auth: {
          status: true,
          type: "apikey",
          basic: {
            username: null,
            password: null,
            hasPassword: false
          },
          apikey: {
            header: "X-Receiver-Key",
            apikey: "receiver-key-1"
          }
        }
      }
    }
  ]
};

// src/evidence/http/url.ts
var URL_FORM = new RegExp(webhook_settings_schema_default.$defs.url.pattern, "u");
function isLoopback(hostname) {
  return /^(?:(?:.+\.)?localhost|\[::1\]|127(?:\.\d+){3})$/.test(hostname);
}
function isHttpUrl(text2) {
  const plain = withoutMarkers(text2);
  return URL_FORM.test(plain) && URL.canParse(plain);
}

// src/evidence/deliveries.ts
function configuredIn(evidence, account) {
  const reads = ownReads(evidence).filter((read5) => read5.account === account);
  const [read4] = reads;
  const webhook = settingsIn(read4?.response?.body ?? "");
  if (!read4 || !webhook || new Set(reads.map(describedOf)).size > 1) return null;
  const declared = declaredOf(evidence, account)?.settings;
  const isOtherwise = differences(declared ?? {}, webhook).some(({ path }) => !/[pP]assword$/.test(path));
  if (isOtherwise) return null;
  const kinds = {};
  for (const kind of KINDS) {
    const enabled = memberAt(webhook, kind, "status");
    const url = memberAt(webhook, kind, "url");
    if (typeof enabled !== "boolean" || typeof url !== "string" || !isHttpUrl(url)) continue;
    const [, path = "", query = ""] = /^\w+:\/\/[^/?#\\]*([^?#]*)(\?[^#]*)?/.exec(url) ?? [];
    kinds[kind] = { enabled, url, address: addressOf((path || "/") + query) };
  }
  const auth = isObject(webhook.auth) ? webhook.auth : {};
  return { read: read4, kinds, auth };
}
function addressOf(target) {
  if (!target.startsWith("/")) return target;
  const [path = "", ...query] = target.split("?");
  const segments = new URL(`http://host${path}`).pathname.replace(/%2f/gi, "%252F");
  const parameters = [...new URLSearchParams(query.join("?"))].map(([name, value]) => `${name}=${value}`);
  return [decoded(segments), ...parameters].join("\n");
}
function decoded(text2) {
  try {
    return decodeURIComponent(text2);
  } catch {
    return text2;
  }
}
function arrivedAt(delivery, address) {
  return isSame(addressOf(delivery.path), address);
}
var LONGEST_SHORT_SECRET = 7;
var MOST_MARKERS = 50;
function isSame(delivered, served) {
  if (delivered === served) return true;
  let from = 0;
  let ends = [0];
  const markers = [...delivered.matchAll(MARKER)];
  if (markers.length > MOST_MARKERS) return false;
  for (const { 0: marker, 3: form, index } of markers) {
    const starts = endsAfter(delivered.slice(from, index), ends, served);
    const isShort = form === void 0 || form === "part";
    const inClear = isShort ? starts.flatMap((start) => lengthsOfShort.map((length) => start + length)) : [];
    const reached = [...endsAfter(marker, starts, served), ...inClear.filter((end) => end <= served.length)];
    ends = [...new Set(reached)];
    from = index + marker.length;
  }
  return from > 0 && endsAfter(delivered.slice(from), ends, served).includes(served.length);
}
var lengthsOfShort = Array.from({ length: LONGEST_SHORT_SECRET }, (_, i) => i + 1);
function endsAfter(text2, starts, served) {
  return starts.filter((start) => served.startsWith(text2, start)).map((start) => start + text2.length);
}
function watchedIn(evidence) {
  if (evidence.target.notifications === null) {
    return "Declare `notifications` in the target file: a receiver, and a command that makes the service send.";
  }
  if (evidence.triggers.length === 0) {
    return whyNotSent(
      evidence,
      groupAs("notifications"),
      "No kind could be triggered: the settings of no account of `notifications.accounts` were read as they are declared (settings.as-configured)."
    );
  }
  const overrun = evidence.notSent.find(({ probe: probe2 }) => hasRole(probe2, "notifications"));
  if (overrun) return overrun.reason;
  const triggers = evidence.triggers.filter(
    ({ failure, watchedUntilMs, endedAtMs }) => failure === null && watchedUntilMs > endedAtMs
  );
  const byAccount = new Map(evidence.target.accounts.map(({ name }) => [name, configuredIn(evidence, name)]));
  const unclear = triggers.find(
    ({ account, kind, enabled }) => byAccount.get(account)?.kinds[kind]?.enabled !== enabled
  );
  if (unclear) {
    return `The settings of ${unclear.account} were not the same in every read, so what should arrive is not known: fix settings.stable first.`;
  }
  return assigned(evidence, triggers, byAccount);
}
function assigned(evidence, triggers, byAccount) {
  const addressFor = ({ account, kind }) => byAccount.get(account)?.kinds[kind]?.address ?? "";
  const audible = triggers.filter(({ enabled }) => enabled).sort((a, b) => a.startedAtMs - b.startedAtMs);
  const fromMs = Math.min(...triggers.map(({ startedAtMs }) => startedAtMs));
  const untilMs = Math.max(...triggers.map(({ watchedUntilMs }) => watchedUntilMs));
  const all2 = evidence.deliveries.filter(({ receivedAtMs }) => receivedAtMs >= fromMs && receivedAtMs <= untilMs);
  const audibleFromMs = audible[0]?.startedAtMs ?? Number.POSITIVE_INFINITY;
  const expected = audible.map((trigger, i) => {
    const configured = byAccount.get(trigger.account);
    return {
      trigger,
      configured,
      address: addressFor(trigger),
      own: [],
      nextMs: audible[i + 1]?.startedAtMs ?? untilMs
    };
  });
  const strays = [];
  for (const delivery of all2.filter(({ receivedAtMs }) => receivedAtMs >= audibleFromMs)) {
    const owner = expected.findLast(
      ({ trigger, address }) => trigger.startedAtMs <= delivery.receivedAtMs && arrivedAt(delivery, address)
    );
    if (owner) owner.own.push(delivery);
    else strays.push(delivery);
  }
  const arrived = expected.flatMap(({ own }) => own);
  const addresses = [...byAccount.values()].flatMap(
    (configured) => Object.values(configured?.kinds ?? {}).map(({ address }) => address)
  );
  const isFromService = (delivery) => addresses.some((address) => arrivedAt(delivery, address)) || arrived.length === 0 || arrived.some((other) => other.method === delivery.method && agentOf(other) === agentOf(delivery));
  const isWrong = (delivery) => isFromService(delivery) && !isOfItsUrlsKind(delivery, expected, triggers);
  const accounts = [...new Set(triggers.map(({ account }) => account))];
  return {
    /** Triggers of kinds that are off, and the addresses where deliveries would arrive. */
    silent: triggers.filter(({ enabled }) => !enabled).map((trigger) => ({ trigger, address: addressFor(trigger) })),
    /** Deliveries from when only kinds that are off had been triggered. */
    unasked: all2.filter(({ receivedAtMs }) => receivedAtMs < audibleFromMs).filter(isWrong),
    expected,
    /** Deliveries at an unexpected address, after a kind that is on was triggered. */
    strays: strays.filter(isWrong),
    all: all2,
    /** The addresses of all kinds of all accounts. */
    addresses,
    reads: accounts.flatMap((account) => byAccount.get(account)?.read ?? [])
  };
}
function isOfItsUrlsKind(delivery, expected, triggers) {
  const at = expected.find(({ address }) => arrivedAt(delivery, address));
  const [first] = at?.own ?? [];
  if (!at || !first) return false;
  const { account, kind } = at.trigger;
  const before = triggers.filter(({ startedAtMs }) => startedAtMs <= delivery.receivedAtMs);
  const causes = before.some(({ enabled }) => enabled) ? before.filter(({ enabled }) => enabled).slice(-1) : before;
  const others = expected.filter((other) => other.trigger.account === account && other !== at).flatMap(({ own }) => own[0] ?? []);
  return causes.some((cause) => cause.account === account && cause.kind !== kind) && wordsOf2(delivery) === wordsOf2(first) && others.length > 0 && others.every((other) => wordsOf2(other) !== wordsOf2(first));
}
function wordsOf2({ body }) {
  return body.replace(/[\w-]*\d[\w-]*/g, "#");
}
function agentOf(delivery) {
  return linesOf(delivery.headers, "User-Agent").join();
}
function misdirectedIn(watched, waitMs) {
  const found = /* @__PURE__ */ new Map();
  const surplus = watched.expected.flatMap(
    (expected) => expected.own.slice(1).filter((delivery) => !isRepeat(delivery, expected))
  );
  const spare = [...watched.strays, ...surplus].sort((a, b) => a.receivedAtMs - b.receivedAtMs);
  for (const missing of watched.expected.filter(({ own }) => own.length === 0)) {
    const { startedAtMs } = missing.trigger;
    const i = spare.findIndex(
      (arrival) => arrival.receivedAtMs >= startedAtMs && isInTime(arrival, missing.trigger, waitMs)
    );
    const [delivery] = i < 0 ? [] : spare.splice(i, 1);
    if (delivery) found.set(missing, delivery);
  }
  return found;
}
function isInTime({ receivedAtMs }, { endedAtMs, heldUpMs = 0 }, waitMs) {
  return receivedAtMs <= endedAtMs + waitMs + heldUpMs;
}
function isRepeat(delivery, { own }) {
  return own.some(
    ({ index, method: method2, body }) => index < delivery.index && method2 === delivery.method && body === delivery.body
  );
}

// src/judge/event.ts
var eventRules = {
  "event.enabled-sent": judging(everyKindThatIsOnIsSent),
  "event.disabled-silent": judging(kindsThatAreOffAreSilent),
  "event.own-url": judging(eachComesToItsOwnUrl),
  "event.basic-auth": eachOf(
    (auth) => isOn(auth) && isBasic(auth) && memberAt(auth, "basic", "hasPassword") === true,
    'No listed account has a kind on, receiver authentication on, the type "basic" and a password stored: list one in `notifications.accounts`, and declare its `password`.',
    flawOfBasic,
    (accounts, evidence) => accounts.some((account) => isPasswordDeclared(account, evidence)) ? null : `Basic credentials with the configured username came for ${accounts.join(", ")}; whether the password is the stored one was not compared: declare \`password\`.`
  ),
  "event.apikey-auth": eachOf(
    (auth) => isOn(auth) && !isBasic(auth) && keyIn(auth) !== null,
    'No listed account has a kind on, receiver authentication on and another type than "basic" with header and key: list one in `notifications.accounts`.',
    (delivery, { configured }) => {
      const { header, key } = keyIn(configured.auth);
      const values = linesOf(delivery.headers, header);
      if (values.length === 1 && isSame(values[0] ?? "", key)) return null;
      const got = values.length === 0 ? "absent" : `${values.join(", ")}, which is not the configured key,`;
      return headerFlaw(header, got, "the configured key");
    }
  ),
  "event.auth-off": eachOf(
    (auth) => auth.status === false,
    "No listed account has a kind on and receiver authentication off: list one in `notifications.accounts`.",
    credentialsIn
  ),
  "event.no-credentials-in-payload": { ...judging(noPayloadHoldsCredentials), ofBodies: "all" }
};
function judging(judge) {
  return {
    needs: ["events"],
    judge(evidence) {
      const watched = watchedIn(evidence);
      const waitMs = Number(evidence.target.notifications?.waitSeconds) * 1e3;
      const finding = typeof watched === "string" ? notTested(watched) : judge({ ...watched, waitMs, misdirected: misdirectedIn(watched, waitMs) }, evidence);
      const failed = evidence.triggers.find(({ failure }) => failure !== null);
      return unlessUnseen(finding, failed?.failure ?? null, []);
    }
  };
}
var NONE_ON = "No kind of the accounts of `notifications.accounts` is switched on: switch one on, or list another account.";
var NOTHING_CAME = "Nothing arrived at the url of a kind that is on (event.enabled-sent, event.own-url).";
function nothingAtAll(expected, waitMs) {
  const reads = [...new Set(expected.map(({ configured }) => configured.read))];
  const kinds = expected.map(({ trigger }) => named(trigger)).join(", ");
  const within2 = `nothing at all arrived at the receiver within ${waitMs / 1e3} s of the trigger`;
  const got = expected.every(({ trigger }) => trigger.checkedAtMs !== void 0) ? `${within2}, though the run's own request to each of their urls had arrived` : `${within2}: is the tunnel open, and do the urls of the settings lead into it? If so, the service sends nothing`;
  return judged(reads, [{ ...notificationFlaw(kinds, got, "a notification"), exchanges: reads.slice(0, 1) }]);
}
function everyKindThatIsOnIsSent({ expected, misdirected, waitMs }, evidence) {
  if (expected.length === 0) return notTested(NONE_ON);
  const missing = expected.filter(
    (each2) => !misdirected.has(each2) && !each2.own.some((delivery) => isInTime(delivery, each2.trigger, waitMs))
  );
  const unknown = missing.map((each2) => whyWayIsUnknown(each2, expected, evidence));
  const accused = missing.filter((_, i) => unknown[i] === null);
  const [why = null] = unknown.filter((reason) => reason !== null);
  const finding = accused.length > 0 && evidence.deliveries.length === 0 ? nothingAtAll(accused, waitMs) : judgedOn(
    expected,
    accused.map((each2) => {
      const { own, trigger, address } = each2;
      const [first] = own;
      const late = first ? `, only after ${((first.receivedAtMs - trigger.endedAtMs) / 1e3).toFixed(1)} s` : "";
      const inTime = `within ${waitMs / 1e3} s of the trigger`;
      const got = `nothing at ${shown(address)} ${inTime}, though it is on${late}`;
      const flaw = notificationFlaw(named(trigger), got, `a request to ${shown(address)} ${inTime}`);
      return breachOf(each2, own.slice(0, 1), flaw);
    })
  );
  return unlessUnseen(finding, why);
}
function whyWayIsUnknown({ trigger, configured }, expected, { notSent }) {
  const { account, kind } = trigger;
  const noted = notSent.find(({ probe: sent }) => isSameProbe(sent, probe("receiver-check", { account, form: kind })));
  const hostOf = (each2) => /^\w+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(each2.configured.kinds[each2.trigger.kind]?.url ?? "")?.[1];
  const host = hostOf({ trigger, configured });
  const isShown = expected.some((other) => other.own.length > 0 && hostOf(other) === host);
  return noted && !isShown ? `Nothing arrived for ${named(trigger)}. ${noted.reason}` : null;
}
function kindsThatAreOffAreSilent({ silent, unasked, reads, all: all2 }, evidence) {
  if (silent.length === 0)
    return notTested(
      evidence.notSent.find(({ probe: probe2 }) => probe2.group === "receiver-check")?.reason ?? "No kind of the accounts of `notifications.accounts` is switched off: switch one off, or list another account."
    );
  if (all2.length === 0)
    return notTested(
      "Nothing arrived at the receiver at all, so it shows nothing that kinds which are off are silent: switch a kind on, and see that it arrives (event.enabled-sent)."
    );
  const triggers = silent.map(({ trigger }) => trigger);
  const concerned = reads.filter((read4) => triggers.some(({ account }) => account === read4.account));
  const breaches = unasked.map((delivery) => {
    const trigger = silent.find(({ address }) => arrivedAt(delivery, address))?.trigger;
    const what = (trigger ? [trigger] : triggers).map(named).join(", ");
    const when = trigger ? "after its trigger" : "while nothing else had been triggered";
    return {
      ...notificationFlaw(what, `${line(delivery)} ${when}, though it is off`, "nothing"),
      exchanges: concerned.filter((read4) => !trigger || read4.account === trigger.account).slice(0, 1),
      deliveries: [delivery]
    };
  });
  return judged(concerned, breaches);
}
function eachComesToItsOwnUrl({ expected, strays, misdirected }) {
  if (expected.length === 0) return notTested(NONE_ON);
  if (strays.length === 0 && expected.every(({ own }) => own.length === 0)) return notTested(NOTHING_CAME);
  const elsewhere = [...misdirected].map(([missing, delivery]) => {
    const due = shown(missing.address);
    const flaw = notificationFlaw(named(missing.trigger), `${line(delivery)} instead of ${due}`, `a request to ${due}`);
    return breachOf(missing, [delivery], flaw);
  });
  const told = new Set(misdirected.values());
  const copies = strays.filter((delivery) => !told.has(delivery)).map((delivery) => {
    const cause = expected.findLast(({ trigger }) => trigger.startedAtMs <= delivery.receivedAtMs);
    const after = cause ? `after triggering ${named(cause.trigger)}` : "before anything was triggered";
    const got = `where nothing was expected, ${after}`;
    return breachOf(cause, [delivery], notificationFlaw(line(delivery), got, "nothing at this address"));
  });
  return judgedOn(expected, [...elsewhere, ...copies], strays);
}
function noPayloadHoldsCredentials({ all: all2, reads, addresses }, evidence) {
  if (all2.length === 0) return notTested("Nothing arrived, so there is no payload to look into (event.enabled-sent).");
  const described = reads.flatMap((read4) => {
    const webhook = settingsIn(read4.response?.body ?? "");
    const urls = KINDS.map((kind) => memberAt(webhook, kind, "url"));
    return markersIn(JSON.stringify([...urls, memberAt(webhook, "auth", "basic", "username")]));
  });
  const credentialIn = (text2) => markersIn(text2).filter(({ kind, name }) => !described.some((other) => other.kind === kind && other.name === name)).map(({ kind, name }) => credentialInWords(kind, name, evidence)).find((credential) => credential !== null);
  const breaches = all2.flatMap((delivery) => {
    const isConfigured = addresses.some((address) => arrivedAt(delivery, address));
    const inUrl = isConfigured ? void 0 : credentialIn(delivery.path);
    const credential = inUrl ?? credentialIn(searchable(delivery));
    if (credential === void 0) return [];
    const got = `${credential} in its ${inUrl === void 0 ? "payload" : "URL"}`;
    return [{ ...notificationFlaw(line(delivery), got, "no credential"), exchanges: [], deliveries: [delivery] }];
  });
  return judged(all2, breaches);
}
function credentialInWords(kind, name, evidence) {
  if (name.startsWith("(")) return null;
  if (kind === "password") return passwordInWords(name, evidence);
  if (kind === "apiKey") return `the API key of ${name}`;
  return kind === "receiverKey" ? `the receiver's key of ${name}` : null;
}
function credentialsIn(delivery, { configured, trigger }) {
  const [authorization] = linesOf(delivery.headers, "Authorization");
  const url = bodyAt(configured.read, "webhook", trigger.kind, "url");
  const isOfTheUrl = /^\w+:\/\/[^/?#]*@/.test(String(url)) && /^basic\b/i.test(authorization ?? "");
  if (authorization !== void 0 && !isOfTheUrl)
    return headerFlaw("Authorization", `${authorization}, with authentication off,`, "no credentials");
  const { header } = keyIn(configured.auth) ?? {};
  if (header === void 0 || linesOf(delivery.headers, header).length === 0) return null;
  return headerFlaw(header, "the header of the API-key scheme, with authentication off,", "no credentials");
}
function eachOf(applies, none, check, unseen = () => null) {
  return judging(({ expected }, evidence) => {
    const concerned = expected.filter(({ configured }) => applies(configured.auth));
    if (concerned.length === 0) return notTested(none);
    const certain = concerned.map((each2) => ({
      ...each2,
      own: each2.own.filter((delivery, i) => i === 0 || delivery.receivedAtMs < each2.nextMs)
    }));
    const arrived = certain.filter(({ own }) => own.length > 0);
    if (arrived.length === 0) return notTested(NOTHING_CAME);
    const breaches = arrived.flatMap(
      (each2) => each2.own.flatMap((delivery) => {
        const flaw = check(delivery, each2, evidence);
        if (flaw === null) return [];
        const got = `${flaw.got} at ${shown(each2.address)}, the url of ${named(each2.trigger)}`;
        return [breachOf(each2, [delivery], { ...flaw, got })];
      })
    );
    const accounts = new Set(arrived.map(({ trigger }) => trigger.account));
    return unlessUnseen(judgedOn(arrived, breaches), unseen([...accounts], evidence));
  });
}
function judgedOn(expected, breaches, strays = []) {
  return judged([...expected.flatMap(({ configured, own }) => [configured.read, ...own]), ...strays], breaches);
}
function breachOf(expected, deliveries, flaw) {
  return { ...flaw, exchanges: expected ? [expected.configured.read] : [], deliveries };
}
function notificationFlaw(name, got, expected) {
  return { subject: { kind: "notification", name }, expected, got };
}
var isOn = (auth) => auth.status === true;
var isBasic = (auth) => typeof auth.type === "string" && auth.type.toLowerCase() === "basic";
function flawOfBasic(delivery, expected, evidence) {
  const got = wrongBasic(delivery, expected, evidence);
  return got === null ? null : headerFlaw("Authorization", got, "Basic credentials with the configured username");
}
function wrongBasic({ headers, basic }, { configured, trigger: { account } }, evidence) {
  const lines = linesOf(headers, "Authorization");
  if (lines.length !== 1) return lines.length === 0 ? "absent" : `${lines.length} times`;
  if (basic.length === 0) {
    return /^basic\b/i.test(lines[0] ?? "") ? "Basic without the base64 of username:password" : lines[0] ?? "";
  }
  const username = String(memberAt(configured.auth, "basic", "username") ?? "");
  const isDeclared = isPasswordDeclared(account, evidence);
  const ofThisUser = basic.filter((split) => split.username !== null && isSame(split.username, username));
  if (ofThisUser.length === 0 && (isDeclared || !username.includes(":")))
    return "Basic credentials with another username than the one configured";
  const passwords = basic.map(({ password }) => password);
  const isRight = isDeclared ? ofThisUser.some(({ password }) => password === markerOf("password", account)) : passwords.some(isSecret);
  const word = passwords.find((password) => !isSecret(password));
  if (isRight) return null;
  if (word === void 0) return "Basic credentials with another password than the declared one";
  return `Basic credentials ${word === "" ? "without a password" : `with the word "${word}" for a password`}`;
}
var isSecret = (password) => password.startsWith("[");
function keyIn(auth) {
  const header = memberAt(auth, "apikey", "header");
  const key = memberAt(auth, "apikey", "apikey");
  const isText = typeof key === "string" && key.trim() !== "" || typeof key === "number";
  return typeof header === "string" && header !== "" && isText ? { header, key: String(key).trim() } : null;
}
function named({ kind, account }) {
  return `"${kind}" of ${account}`;
}
function line(delivery) {
  return `${delivery.method} ${shortened(delivery.path)}`;
}
function shown(address) {
  const [path = "", ...parameters] = address.split("\n");
  return shortened(parameters.length > 0 ? `${path}?${parameters.join("&")}` : path);
}
function shortened(text2) {
  return text2.length > 120 ? `${text2.slice(0, 117)}\u2026` : text2;
}

// src/evidence/responder/queueing.ts
var usualLatencyMs = once(({ exchanges }) => {
  const took = exchanges.filter(({ probe: probe2, fault }) => fault === null && catalogue[probe2.group].isUnhurried).map((exchange) => exchange.receivedAtMs - exchange.sentAtMs).sort((a, b) => a - b);
  return took[Math.floor(took.length / 4)] ?? 0;
});
var LATE_MS = 250;
function isHeldBack(exchange, evidence) {
  const { requests, seconds } = evidence.target.rate;
  const tookMs = exchange.receivedAtMs - exchange.sentAtMs;
  return isAccepted(exchange) && tookMs - usualLatencyMs(evidence) > Math.max(LATE_MS, seconds * 1e3 / requests / 2);
}
function heldBackOf(evidence) {
  return burstsOf(evidence).filter((exchange) => isHeldBack(exchange, evidence));
}

// src/rate-limit/neighbours.ts
function meetingsOf(evidence, account) {
  const windowMs = evidence.target.rate.seconds * 1e3;
  const own = ownOf(evidence, account);
  const turns = new Map(turnsOf(evidence, account).map((turn) => [turn.next, turn]));
  let wasFault = false;
  return own.flatMap((asked2) => {
    wasFault ||= asked2.fault !== null;
    if (!isWhole(asked2) || !(isAccepted(asked2) || isRefused(asked2, evidence))) return [];
    const busy = underWay(evidence, asked2.sentAtMs - windowMs, asked2.receivedAtMs);
    const near = busy.filter((exchange) => exchange !== asked2 && exchange.account !== null);
    if (near.some((exchange) => exchange.account === account)) return [];
    const turn = turns.get(asked2);
    const isUndisturbed = !wasFault && busy.every((exchange) => exchange.account !== null);
    const mayBlame = isUndisturbed && turn !== void 0 && isSpaced(turn, evidence, LITTLE_MS);
    if (isRefused(asked2, evidence) && !mayBlame) return [];
    const other = near.find(
      (exchange) => exchange.receivedAtMs <= asked2.sentAtMs && (isRefused(exchange, evidence) || isRefused(asked2, evidence)) || isHeldBackMeanwhile(exchange, asked2, evidence)
    );
    return other ? [{ asked: asked2, other }] : [];
  });
}
function isHeldBackMeanwhile(exchange, asked2, evidence) {
  const isMeanwhile = exchange.sentAtMs < asked2.sentAtMs && exchange.receivedAtMs > asked2.receivedAtMs;
  return isMeanwhile && isHeldBack(exchange, evidence) && !isHeldBack(asked2, evidence);
}

// src/rate-limit/remaining.ts
var booksOf = once((evidence) => {
  const explained = /* @__PURE__ */ new Set();
  const foreign = /* @__PURE__ */ new Map();
  const begun = /* @__PURE__ */ new Set();
  const limits = new Set(ofTheApi(evidence).flatMap((exchange) => saidBy(exchange).limit ?? []));
  if (limits.size > 1) return { explained, foreign, begun };
  const byAccount = evidence.target.accounts.map(({ name }) => ({ name, traces: tracesOf(evidence, name) }));
  const exact = exactPlaces(byAccount.flatMap(({ traces }) => traces));
  for (const { name, traces } of byAccount) {
    const kept = traces.filter((trace) => isKept(trace, exact, evidence));
    for (const { entries } of kept) for (const { exchange } of entries) explained.add(exchange);
    if (kept.some(({ entries }) => entries.some(({ beyond }) => beyond > 0))) begun.add(name);
    const shown3 = kept.flatMap(
      ({ entries, carried: carried2 }) => entries.find(({ beyond }) => beyond > carried2)?.exchange ?? []
    );
    const alone = shown3.filter((exchange) => isQuiet(exchange, evidence));
    if (alone.length > 0) foreign.set(name, alone);
  }
  return { explained, foreign, begun };
});
function tracesOf(evidence, account) {
  const own = ownOf(evidence, account);
  const places = new Map(own.map((exchange, i) => [exchange, i]));
  const fresh = turnsOf(evidence, account).filter((turn) => isSpaced(turn, evidence, LITTLE_MS));
  return [...own.slice(0, 1), ...fresh.map(({ next }) => next)].map((first) => traceFrom(own, places.get(first) ?? 0, evidence)).filter(({ entries }) => entries.length > 0);
}
function traceFrom(own, start, evidence) {
  const { requests, seconds } = evidence.target.rate;
  const first = own[start];
  const gainedAtMs = first.sentAtMs + seconds * 1e3 / requests;
  const entries = [];
  let before;
  let at = start;
  for (; at < own.length; at += 1) {
    const exchange = own[at];
    const after = own[at + 1];
    if (after !== void 0 && after.sentAtMs < exchange.receivedAtMs) break;
    if (exchange.resent || isStored(exchange, evidence) || before && exchange.receivedAtMs >= gainedAtMs) break;
    if (before && isOfNextWindow(exchange, before)) break;
    const [limit2, left] = [saidBy(exchange).limit, saidBy(exchange).remaining];
    if (limit2 === null || left === null || letThrough([exchange], evidence).length === 0) break;
    entries.push({ exchange, beyond: limit2 - left - entries.length - 1 });
    before = exchange;
  }
  const next = own[at];
  const isSoon = next !== void 0 && next.sentAtMs < gainedAtMs && isRefused(next, evidence);
  const isBroken = isSoon && before !== void 0 && saidBy(before).remaining !== 0;
  return { entries, carried: carriedBy(own, start, seconds * 1e3), isBroken };
}
function isOfNextWindow(exchange, before) {
  const [left, leftBefore] = [saidBy(exchange).remaining, saidBy(before).remaining];
  const reset = saidBy(exchange).reset;
  return (left ?? 0) > (leftBefore ?? 0) && (reset === null || reset !== saidBy(before).reset);
}
function carriedBy(own, start, windowMs) {
  const fromMs = own[start].sentAtMs - 2 * windowMs;
  let count = 0;
  for (let i = start - 1; i >= 0 && own[i].receivedAtMs > fromMs; i -= 1) count += 1;
  return count;
}
function exactPlaces(traces) {
  const places = /* @__PURE__ */ new Set();
  for (const { entries } of traces)
    for (const [i, { beyond }] of entries.entries()) if (beyond === (entries[i - 1]?.beyond ?? 0)) places.add(i);
  return places;
}
function isKept({ entries, carried: carried2, isBroken }, exact, evidence) {
  const windowMs = evidence.target.rate.seconds * 1e3;
  const startMs = entries[0]?.exchange.sentAtMs ?? 0;
  let forgotten = 0;
  return !isBroken && entries.every(({ exchange, beyond }, i) => {
    const more = beyond - (entries[i - 1]?.beyond ?? 0);
    if (more < 0) forgotten -= more;
    const mostForgotten = carried2 === 0 ? 0 : 1 + carried2 * (exchange.receivedAtMs - startMs) / windowMs;
    return beyond >= 0 && forgotten <= mostForgotten && (more <= 0 || exact.has(i));
  });
}

// src/rate-limit/other-client.ts
var usedElsewhere = once((evidence) => {
  const found = /* @__PURE__ */ new Map();
  for (const { name } of evidence.target.accounts) {
    const lastAcceptedMs = letThrough(ownOf(evidence, name), evidence).at(-1)?.sentAtMs ?? 0;
    const refused = refusedOddly(evidence, name).filter((exchange) => exchange.receivedAtMs <= lastAcceptedMs);
    const shown3 = /* @__PURE__ */ new Set([...refused, ...booksOf(evidence).foreign.get(name) ?? []]);
    if (shown3.size > 0) found.set(name, [...shown3]);
  }
  return found;
});
function refusedOddly(evidence, account) {
  const isAsDeclared = showsDeclaredRate(evidence, account);
  if (!isAsDeclared && fitsLongerWindows(evidence)) return [];
  return [
    ...isAsDeclared ? refusedThoughSilent(evidence, account) : [],
    ...refusedAfterSilence(evidence, account),
    ...refusedNowAndThen(evidence, account),
    ...refusedAfterMore(evidence, account)
  ];
}
function refusedAfterSilence(evidence, account) {
  const silenceMs = longestHonestSeconds(evidence.target.rate) * 1e3 + LITTLE_MS;
  const charged = chargedOf(evidence, account);
  const accepted2 = letThrough(charged, evidence);
  const shortestMs = Math.min(...accepted2.map((exchange) => sinceLastMs(exchange, charged)));
  const own = ownOf(evidence, account);
  return refusedAlone(evidence, account).filter(
    (exchange) => sinceLastMs(exchange, own) >= Math.max(silenceMs, shortestMs)
  );
}
function refusedNowAndThen(evidence, account) {
  if (!isRefusedUnlikeOthers(evidence, account)) return [];
  const charged = chargedOf(evidence, account);
  const spaced = spacedOf(evidence, account).filter(isAccepted);
  const known = spaced.length < TELLING_REQUESTS ? [] : spaced.map((exchange) => sinceLastMs(exchange, charged));
  const shortestMs = known.length === 0 ? 0 : Math.min(...known);
  return refusedThoughSpaced(evidence, account).filter(
    (exchange) => sinceLastMs(exchange, charged) + LITTLE_MS >= shortestMs
  );
}
function refusedAfterMore(evidence, account) {
  const charged = chargedOf(evidence, account);
  const refused = ownOf(evidence, account).filter((exchange) => isRefused(exchange, evidence));
  const keptBy = (exchange) => [sinceLastMs(exchange, charged), sinceLastMs(exchange, refused)];
  const accepted2 = spacedOf(evidence, account).filter(isAccepted).map(keptBy);
  return refusedAlone(evidence, account).filter((exchange) => {
    const [sinceChargedMs, sinceRefusedMs] = keptBy(exchange);
    return accepted2.some((kept) => kept[0] <= sinceChargedMs && kept[1] <= sinceRefusedMs);
  });
}
function isRefusedUnlikeOthers(evidence, account) {
  const others = evidence.target.accounts.map(({ name }) => name).filter((name) => name !== account);
  const refusedOthers = others.map((name) => refusedThoughSpaced(evidence, name));
  const windowMs = evidence.target.rate.seconds * 1e3;
  const refused = refusedThoughSpaced(evidence, account).filter(
    (exchange) => refusedOthers.flat().every((other) => Math.abs(other.sentAtMs - exchange.sentAtMs) > windowMs)
  );
  return refused.length > 1 && refusedOthers.every(({ length }) => length <= 1) && others.some((name) => spacedOf(evidence, name).filter(isAccepted).length >= TELLING_REQUESTS);
}
function refusedAtFirst(evidence, account) {
  return beginningsOf(evidence, account).filter((turn) => isWhollyRefused(turn, evidence)).map(({ next }) => next);
}
function refusedThoughSpaced(evidence, account) {
  return refusedAtFirst(evidence, account).filter((exchange) => isQuiet(exchange, evidence));
}
function isWhollyRefused(turn, evidence) {
  const { next } = turn;
  const together = underWay(evidence, next.sentAtMs, next.receivedAtMs).filter(
    (exchange) => exchange.account === next.account
  );
  return together.every((exchange) => isWhole(exchange) && !exchange.resent && isRefused(exchange, evidence)) && isSpaced(turn, evidence, LITTLE_MS);
}

// src/rate-limit/trials.ts
function trialsOf(evidence, group, account) {
  const all2 = evidence.exchanges.filter(({ probe: probe2 }) => probe2.group === group && probe2.account === account);
  const trials = groupedBy(all2, ({ probe: probe2 }) => probe2.trial);
  return [...trials.values()].map((trial2) => {
    const ordered = trial2.sort((a, b) => a.sentAtMs - b.sentAtMs);
    const opener = group === "sequence" ? openerOf(ordered[0], evidence) : null;
    return opener ? [opener, ...ordered] : ordered;
  });
}
function openerOf(first, evidence) {
  if (!first) return null;
  const own = ownOf(evidence, first.account ?? "");
  const before = own[own.indexOf(first) - 1];
  const isNear = before !== void 0 && first.sentAtMs - before.receivedAtMs < evidence.target.rate.seconds * 1e3;
  if (!isNear || !catalogue[before.probe.group].mayOpen || !isAccepted(before)) return null;
  return isOfTheOtherPath(before, first, evidence) ? null : before;
}
function otherPathBefore(first, evidence) {
  const own = ownOf(evidence, first.account ?? "");
  const before = own[own.indexOf(first) - 1];
  const isOpened = before && catalogue[before.probe.group].mayOpen && isAccepted(before);
  return isOpened && isOfTheOtherPath(before, first, evidence) ? before : null;
}
function isOfTheOtherPath(before, first, { target }) {
  const { requests, seconds } = target.rate;
  const tookMs = first.receivedAtMs - before.sentAtMs;
  return before.request.url.endsWith("/") && isAccepted(first) && tookMs < seconds * 1e3 / requests;
}
function shareGranted(trial2, evidence) {
  const at = trial2.findIndex((exchange) => isRefused(exchange, evidence));
  const refusal = trial2[at];
  const named2 = trial2.map((exchange) => saidBy(exchange).limit).find((limit2) => limit2 !== null);
  if (trial2.slice(0, at + 1).some((exchange) => exchange.resent)) return null;
  if (!refusal || !isWhole(refusal) || named2 === void 0 || named2 === null) return null;
  return { granted: at, named: named2, last: trial2[at - 1] ?? refusal, refusal };
}
function leastGranted(trials, evidence) {
  const granted = trials.flatMap((trial2) => shareGranted(trial2, evidence)?.granted ?? []).filter((count) => count > 0);
  return granted.length > 0 ? Math.min(...granted) : null;
}
function miscounted(trial2, evidence, granted) {
  const { requests, seconds } = evidence.target.rate;
  const found = [];
  const through = letThrough(trial2, evidence);
  const first = through[0];
  if (!first || first !== trial2[0]) return [];
  const tokenMs = seconds * 1e3 / requests;
  if (through.some((exchange) => exchange.resent || exchange.receivedAtMs - exchange.sentAtMs > tokenMs / 2)) return [];
  for (const [i, exchange] of through.entries()) {
    const [limit2, said] = [saidBy(exchange).limit, saidBy(exchange).remaining];
    const totals = [limit2, requests, granted].filter((total) => total !== null && total > i);
    if (limit2 === null || said === null || totals.length === 0 || totals.some((total) => said === (total ?? 0) - 1 - i))
      continue;
    if (i >= limit2 && said === 0) continue;
    if (i === 0 && said < limit2 - 1 && !isQuiet(exchange, evidence)) continue;
    if (booksOf(evidence).explained.has(exchange)) continue;
    const elapsedMs = exchange.receivedAtMs - first.sentAtMs;
    if (i > 0 && elapsedMs >= tokenMs) continue;
    const span = i === 0 ? null : { fromMs: first.sentAtMs, toMs: exchange.receivedAtMs };
    found.push({ exchange, said, due: limit2 - 1 - i, span });
  }
  return found;
}
function areTelling(empty, evidence) {
  const windowMs = evidence.target.rate.seconds * 1e3;
  const sentAtMs = empty.map(([first]) => first?.sentAtMs ?? 0).sort((a, b) => a - b);
  const moments = sentAtMs.filter((atMs, i) => i === 0 || atMs - (sentAtMs[i - 1] ?? 0) >= windowMs);
  return moments.length >= (new Set(empty.map(([first]) => first?.account)).size > 1 ? 2 : 3);
}
function isOverRate(trials, evidence, account, requests = evidence.target.rate.requests) {
  const { seconds } = evidence.target.rate;
  const all2 = letThrough(trials.flat(), evidence).map(decisionOf);
  const setBack = setBackIn(evidence);
  const sides = setBack ? [({ toMs }) => toMs <= setBack.fromMs, ({ fromMs }) => fromMs >= setBack.toMs] : [() => true];
  if (usedElsewhere(evidence).has(account) || booksOf(evidence).begun.has(account))
    return sides.some((isOf) => fullestStretch(all2.filter(isOf), seconds * 1e3).length > 2 * requests);
  const { accepted: accepted2, refused } = decisionsOf(evidence, account);
  return sides.some((isOf) => {
    const known = { accepted: accepted2.filter(isOf), refused: refused.filter(isOf) };
    return !isExplained(all2.filter(isOf), { requests, seconds }, known);
  });
}
function decisionsOf(evidence, account) {
  const whole = ownOf(evidence, account).filter((exchange) => isWhole(exchange) && !exchange.resent);
  const isUntold = refusedAtFirst(evidence, account).length > 0 || whole.some((exchange) => asksBeyondWindow(exchange, evidence));
  const refused = isUntold ? [] : whole.filter((exchange) => isRefused(exchange, evidence));
  return { accepted: letThrough(whole, evidence).map(decisionOf), refused: refused.map(decisionOf) };
}

// src/judge/rate/facts.ts
var NO_REFUSAL = "No request was refused, so no refusal could be inspected: a server that queues, or a limit above the burst (`limits.burst`), shows none.";
function noRefusal(evidence) {
  if (burstsOf(evidence).length === 0) return whyNotSent(evidence, "sequence", NO_REFUSAL);
  return isLimitKept(evidence) ? NO_REFUSAL : "No request was refused, as the limit is not kept: fix rate.enforced first.";
}
var isLimitKept = once(
  (evidence) => accountsOf(evidence).every((account) => {
    const trials = [...trialsOf(evidence, "sequence", account), ...trialsOf(evidence, "concurrent", account)];
    return !isOverRate(trials, evidence, account);
  })
);
function windowSeconds(evidence) {
  return evidence.target.rate.seconds;
}
function accountsOf(evidence) {
  return evidence.target.accounts.map((account) => account.name);
}
function keyedResponses(evidence) {
  const base = evidence.target.baseURL;
  return evidence.exchanges.filter(
    (exchange) => exchange.account !== null && isWhole(exchange) && [`${base}/webhooks`, `${base}/`].includes(exchange.request.url) && (isAccepted(exchange) || isRefused(exchange, evidence))
  );
}
function refusalsOf(evidence) {
  const bursts = burstsOf(evidence);
  if (bursts.length > 0 && !bursts.some((exchange) => isRefused(exchange, evidence))) return [];
  return evidence.exchanges.filter((exchange) => isRefused(exchange, evidence));
}
function ofRefusals(evidence, judge) {
  const refusals = refusalsOf(evidence).filter(isWhole);
  return refusals.length > 0 ? judge(refusals) : withoutRefusals(evidence);
}
function withoutRefusals(evidence) {
  const held = heldBackOf(evidence);
  return held.length > 1 && exchangesOf(evidence, "concurrent").length > 0 && isLimitKept(evidence) ? inapplicable(
    held,
    "No request was refused: this server held back what was over the rate, up to a whole burst at one moment"
  ) : notTested(noRefusal(evidence));
}
var carries = (name) => (exchange) => valuesOf(exchange, name).length > 0;
function freshWith(name, evidence) {
  return ofTheApi(evidence).filter((exchange) => saidBy(exchange)[name] !== null && !isStored(exchange, evidence));
}
function areApart(breaches, evidence) {
  const moments = breaches.flatMap(({ exchanges }) => exchanges.at(-1)?.sentAtMs ?? []);
  return Math.max(...moments) - Math.min(...moments) >= windowSeconds(evidence) * 1e3;
}
function unlessUsedElsewhere(judge) {
  return (evidence) => {
    const used = usedElsewhere(evidence);
    if (used.size === 0) return judge(evidence, accountsOf(evidence));
    const idle = accountsOf(evidence).filter((account) => !used.has(account));
    const exchanges = evidence.exchanges.filter(({ account }) => !used.has(account ?? ""));
    const times = [...used].map(
      ([account, shown3]) => `the key of ${account} (seen ${shown3.length === 1 ? "once" : `${shown3.length} times`})`
    );
    return unlessUnseen(
      judge({ ...evidence, exchanges }, idle),
      `Somebody else used ${times.join(" and ")} while this ran: keep the keys idle and run again.`,
      [...used.values()].flat().map(({ index }) => index)
    );
  };
}

// src/judge/rate/limit.ts
var limitRules = {
  "rate.enforced": { needs: ["sequence"], judge: isKept2("sequence") },
  "rate.enforced-concurrent": { needs: ["concurrent"], judge: isKept2("concurrent") },
  "rate.not-stricter": { needs: ["together", "header-case"], judge: unlessUsedElsewhere(spacedAreAccepted) },
  "rate.refusal": {
    needs: ["sequence", "concurrent"],
    judge(evidence) {
      const refusals = refusalsOf(evidence);
      if (refusals.length === 0) return withoutRefusals(evidence);
      return judged(refusals, breachesIn(refusals, wrongRefusal));
    }
  },
  "rate.refusal-429": {
    needs: ["sequence", "concurrent"],
    judge(evidence) {
      const refusals = refusalsOf(evidence);
      if (refusals.length === 0) return withoutRefusals(evidence);
      const proper = refusals.filter((exchange) => wrongRefusal(exchange) === null);
      return each(
        proper,
        "No refusal was a proper one: fix rate.refusal first.",
        (exchange) => statusOf(exchange) === 429 ? null : requestFlaw(OVER_RATE, String(statusOf(exchange)), "429")
      );
    }
  }
};
function spacedAreAccepted(evidence, accounts) {
  const known = accounts.flatMap((account) => spacedOf(evidence, account)).filter((exchange) => isAccepted(exchange) || isRefused(exchange, evidence));
  if (known.length === 0)
    return notTested(whyNotSent(evidence, "together", "no two requests of one account were a window apart"));
  const breaches = [...refusedTooOften(evidence)].map(([account, refused]) => {
    const [what, each2] = refused.length === 1 ? ["a request", ""] : [`${refused.length} requests`, "each "];
    const got = `${what} refused, ${each2}more than ${windowSeconds(evidence)} s after the one before`;
    return { ...limitFlaw(account, got, "acceptance of requests that are a window apart"), exchanges: refused };
  });
  return judged(known, breaches);
}
function isStricter(evidence) {
  return unlessUsedElsewhere(spacedAreAccepted)(evidence).breaches.length > 0;
}
function isKept2(group) {
  return (evidence) => {
    const { requests } = evidence.target.rate;
    const byAccount = accountsOf(evidence).map((account) => ({ account, trials: trialsOf(evidence, group, account) }));
    const trials = byAccount.flatMap((own) => own.trials);
    const all2 = trials.flat();
    if (all2.length === 0) return notTested(whyNotSent(evidence, group, "No burst was sent."));
    if (!all2.some(isWhole)) return notTested(BROKEN);
    if (letThrough(all2, evidence).length === 0)
      return notTested("Every request of the bursts was refused, so what is let through was not seen.");
    if (trials.every((trial2) => trial2.length <= requests)) {
      if (group === "sequence" && trials.some((trial2) => lastsMs(trial2) >= windowSeconds(evidence) * 1e3))
        return judged(all2, []);
      return notTested(
        heldBackOf(evidence).length > 0 ? `This server holds back what is over the rate, and could not answer more than ${requests} requests in time: raise \`limits.timeoutSeconds\`.` : `A burst has fewer requests than the rate allows: set \`limits.burst\` above ${requests}.`
      );
    }
    return judged(
      all2,
      byAccount.flatMap((own) => overRate(own.trials, evidence, requests, own.account))
    );
  };
}
function lastsMs(trial2) {
  return Math.max(...trial2.map((exchange) => exchange.receivedAtMs)) - Math.min(...trial2.map((exchange) => exchange.sentAtMs));
}
function overRate(trials, evidence, requests, account) {
  if (!isOverRate(trials, evidence, account, requests)) return [];
  const decided = (trial2) => letThrough(trial2, evidence).map((exchange) => ({ ...decisionOf(exchange), exchange }));
  const [fullest = []] = trials.map((trial2) => fullestStretch(decided(trial2), windowSeconds(evidence) * 1e3)).sort((a, b) => b.length - a.length);
  const shown3 = (fullest.length > requests ? fullest : decided(trials.flat())).map(({ exchange }) => exchange);
  const sentAtMs = shown3.map((exchange) => exchange.sentAtMs);
  const spreadMs = Math.max(...sentAtMs) - Math.min(...sentAtMs);
  const isBurst = shown3.every((exchange) => exchange.probe.group === "concurrent");
  const spread = isBurst ? `, sent within ${spreadMs.toFixed(1)} ms` : "";
  const often = trials.length > 1 ? `, seen in ${trials.length} separate bursts` : "";
  const got = `${shown3.length} requests accepted within ${Math.round(lastsMs(shown3))} ms${spread}${often}`;
  const expected = `no more than ${requests} in ${windowSeconds(evidence)} s`;
  return [{ ...limitFlaw(account, got, expected), exchanges: shown3 }];
}
function limitFlaw(account, got, expected) {
  return { subject: { kind: "limit", name: account }, expected, got };
}
var OVER_RATE = "to a request over the rate";
function wrongRefusal(exchange) {
  const expected = "4xx or 503, without the settings";
  if (exchange.fault)
    return answerFlaw(`a request of a burst was not answered: the server ${exchange.fault.message}`, expected);
  const status = statusOf(exchange);
  if (isAccepted(exchange))
    return requestFlaw(OVER_RATE, `${status} without the settings, which looks like success,`, expected);
  if (status !== 503 && (status < 400 || status > 499)) return requestFlaw(OVER_RATE, String(status), expected);
  return disclosesSettings(exchange) ? requestFlaw(OVER_RATE, `${status} with the settings`, expected) : null;
}

// src/judge/rate/budgets.ts
var budgetRules = {
  "rate.per-user": {
    needs: ["sequence"],
    judge: unlessUsedElsewhere((evidence, accounts) => {
      if (accounts.length < 2)
        return notTested("Declare a second account in the target file: while one is refused, another is asked.");
      const meetings = accounts.flatMap((account) => meetingsOf(evidence, account));
      if (meetings.length === 0) {
        return notTested(
          refusalsOf(evidence).length === 0 ? noRefusal(evidence) : "No account was asked while another was refused: two accounts need keys that are accepted."
        );
      }
      const refused = meetings.filter(
        ({ asked: asked2 }) => isRefused(asked2, evidence) && refusedAlone(evidence, asked2.account ?? "").length === 0
      );
      const all2 = meetings.flatMap(({ asked: asked2, other }) => [asked2, other]);
      if (!isConfirmed(refused, meetings, evidence)) return judged(all2, []);
      if (isStricter(evidence))
        return notTested(
          "Accounts were refused while others were, and rate.not-stricter is broken, which explains it: fix that first."
        );
      return judged(
        all2,
        refused.slice(0, 1).map(({ asked: asked2, other }) => {
          const got = `refused while ${other.account} was, though its own budget was whole, ${refused.length} times`;
          return { ...accountFlaw(asked2.account ?? "", got, OWN_BUDGET), exchanges: [asked2, other] };
        })
      );
    })
  },
  "rate.across-paths": {
    needs: ["paths"],
    judge(evidence) {
      const trials = accountsOf(evidence).flatMap((account) => pathTrials(evidence, account));
      const [first] = trials;
      if (!first)
        return notTested(
          whyNotSent(evidence, "paths", "No request to / could follow those to /webhooks that were accepted.")
        );
      if (!trials.some(({ last }) => isAccepted(last) || isRefused(last, evidence))) {
        return notTested(
          `GET on the base path is answered with ${statusOf(first.last)}, refused or not, so it cannot be seen to use up a budget.`
        );
      }
      if (trials.every(({ isClose, last }) => !isClose && isAccepted(last) && !isHeldBack(last, evidence)))
        return notTested("The answers took so long that there was budget again before the other path was asked.");
      const breaches = accountsOf(evidence).flatMap((account) => {
        const over = trials.filter(
          ({ isClose, last }) => last.account === account && isClose && isAccepted(last) && !refusalStatuses(evidence).has(statusOf(last))
        );
        const isGenerous = ["sequence", "concurrent"].some(
          (group) => isOverRate(trialsOf(evidence, group, account), evidence, account)
        );
        if (isGenerous || isExplainedByBoundaries(over, windowSeconds(evidence) * 1e3)) return [];
        const [spanMs2] = over.map(({ fromMs, toMs }) => Math.round(toMs - fromMs));
        const got = `/webhooks and / drew on budgets of their own, within ${spanMs2} ms, ${over.length} times`;
        const flaw = accountFlaw(account, got, "one budget for all paths");
        return [{ ...flaw, exchanges: over.flatMap(({ exchanges }) => exchanges) }];
      });
      return judged(
        trials.flatMap(({ exchanges }) => exchanges),
        breaches
      );
    }
  },
  "rate.keyless-free": {
    needs: ["together"],
    judge: unlessUsedElsewhere((evidence, accounts) => {
      const reads = exchangesOf(evidence, "together").filter(isWhole);
      const before = exchangesOf(evidence, "keyless");
      if (reads.length === 0) return notTested(whyNotSent(evidence, "together", BROKEN));
      if (before.length > 0 && before.every((exchange) => isVeiled(exchange, evidence)))
        return notTested(
          "A guard answered all requests without a valid key, so whether the server charges them was not seen."
        );
      const letIn = new Set(before.filter(isAccepted).map((exchange) => exchange.probe.trial));
      if (reads.some((read4) => isRefused(read4, evidence)) && isStricter(evidence))
        return notTested(
          "Reads were refused after requests without a valid key, and rate.not-stricter is broken, which explains it: fix that first."
        );
      const again = reads.filter(
        (exchange) => exchange.probe.trial > 1 && !letIn.has(exchange.probe.trial) && isFirstOfItsTrial(exchange, evidence)
      );
      const suspected = again.some(isAccepted) ? [] : accounts;
      const refused = suspected.map((account) => ({ account, own: again.filter((exchange) => exchange.account === account) })).filter(({ own }) => own.length > 0 && own.every((exchange) => isRefused(exchange, evidence)));
      const trials = trialsAfterWrongKeys(refused.length, new Set(reads.map(({ account }) => account)).size);
      const doubtful = refused.find(
        ({ account, own }) => own.length < trials || refusedAlone(evidence, account).length > 0
      );
      if (doubtful && letIn.size === 0)
        return notTested(
          `${doubtful.account} was refused right after requests without a valid key, but another client of its key may be why: keep the key idle and run again.`
        );
      const breaches = (doubtful ? [] : refused).map(({ account, own }) => ({
        ...accountFlaw(
          account,
          `its first request in its window refused right after requests without a valid key, ${own.length} times`,
          OWN_BUDGET
        ),
        exchanges: own
      }));
      return judged([...before, ...reads], breaches);
    })
  }
};
var OWN_BUDGET = "a budget that nobody else uses up";
function isConfirmed(refused, meetings, evidence) {
  const isTrial = ({ asked: asked2 }) => asked2.probe.group === "neighbour";
  const pairOf = ({ asked: asked2, other }) => `${asked2.account}
${other.account}`;
  const accepted2 = meetings.filter((meeting) => isTrial(meeting) && isAccepted(meeting.asked)).map(pairOf);
  const telling = refused.filter((meeting) => isTrial(meeting) && !accepted2.includes(pairOf(meeting)));
  const isLookedAt = exchangesOf(evidence, "neighbour").length > 0;
  const moments = (isLookedAt ? telling : refused).map(({ asked: asked2 }) => asked2.sentAtMs);
  return Math.max(...moments) - Math.min(...moments) >= windowSeconds(evidence) * 1e3;
}
function pathTrials(evidence, account) {
  const { requests, seconds } = evidence.target.rate;
  const own = evidence.exchanges.filter((exchange) => exchange.account === account);
  return own.flatMap((last) => {
    const other = last.probe.group === "sequence" ? otherPathBefore(last, evidence) : null;
    if (other) {
      const [fromMs2, toMs2] = [other.sentAtMs, last.receivedAtMs];
      return [{ exchanges: [other, last], last, fromMs: fromMs2, toMs: toMs2, isClose: true }];
    }
    if (last.probe.group !== "paths" || !last.request.url.endsWith("/") || !isWhole(last)) return [];
    const before = own.filter((exchange) => exchange.receivedAtMs <= last.sentAtMs);
    const reads = letThrough(before, evidence).slice(-requests);
    const fromMs = Math.min(...reads.map((exchange) => exchange.sentAtMs));
    const toMs = last.receivedAtMs;
    const isClose = toMs - fromMs < seconds * 1e3 / requests;
    return reads.length === requests ? [{ exchanges: [...reads, last], last, fromMs, toMs, isClose }] : [];
  });
}
function isFirstOfItsTrial(exchange, evidence) {
  return evidence.exchanges.find((other) => isSameProbe(other.probe, exchange.probe)) === exchange;
}

// src/judge/rate/counts.ts
var AT_ONCE_MS = 50;
var countRules = {
  "rate.limit-honest": {
    needs: ["sequence", "concurrent"],
    judge: unlessUsedElsewhere((evidence, accounts) => {
      const bearing = freshWith("limit", evidence);
      const empty = isStricter(evidence) ? [] : accounts.flatMap((account) => emptyBursts(evidence, account));
      const noneAccepted = areTelling(empty, evidence) ? [empty] : [];
      if (bearing.length === 0 && noneAccepted.length === 0)
        return notTested(
          "No fresh response carried a well-formed X-RateLimit-Limit (rate.headers-present, rate.limit-format)."
        );
      return judged(bearing, [
        ...accounts.flatMap((account) => dishonestLimits(evidence, account, bearing)),
        ...noneAccepted.map((bursts) => {
          const got = `none of ${bursts[0]?.length} requests at one moment was accepted, in ${bursts.length} fresh windows`;
          return { ...answerFlaw(got, "as many as the limit says"), exchanges: bursts.flat() };
        })
      ]);
    })
  },
  "rate.remaining-honest": {
    needs: ["sequence"],
    judge: unlessUsedElsewhere((evidence, accounts) => {
      const bearing = freshWith("remaining", evidence).filter(({ account }) => account !== null);
      if (bearing.length === 0)
        return notTested("No fresh response to a valid key carried a well-formed X-RateLimit-Remaining.");
      const breaches = breachesIn(bearing, (exchange) => {
        const left = saidBy(exchange).remaining;
        return isRefused(exchange, evidence) && left !== 0 ? remainingFlaw(`${left} on a refusal`, 0) : null;
      });
      return judged(bearing, [...breaches, ...accounts.flatMap((account) => wrongRemainders(evidence, account))]);
    })
  }
};
function dishonestLimits(evidence, account, bearing) {
  const own = bearing.filter((exchange) => exchange.account === account);
  const [first] = own;
  if (!first) return [];
  const named2 = saidBy(first).limit;
  const other = own.find((exchange) => saidBy(exchange).limit !== named2);
  if (other) {
    const got2 = `${named2} and then ${saidBy(other).limit} for ${account}`;
    return [{ ...headerFlaw("X-RateLimit-Limit", got2, "one limit"), exchanges: [first, other] }];
  }
  const trials = trialsOf(evidence, "sequence", account);
  const over = overRate(trials, evidence, named2, account).map(({ got: got2, exchanges: exchanges2 }) => {
    return {
      ...headerFlaw("X-RateLimit-Limit", `${named2} for ${account}, but ${got2}`, "as many as are accepted"),
      exchanges: exchanges2
    };
  });
  const short = shortOf(trials, evidence);
  const granted = short[0]?.granted ?? 0;
  if (short.length < 2 || !isGrantedAlways(granted, evidence) || areOnlyOthersGranted(account, evidence)) return over;
  const got = `${named2} for ${account}, but request ${granted + 1} was refused, in ${short.length} fresh windows`;
  const exchanges = short.map(({ refusal }) => refusal);
  return [...over, { ...headerFlaw("X-RateLimit-Limit", got, String(granted)), exchanges }];
}
function areOnlyOthersGranted(account, evidence) {
  const others = accountsOf(evidence).filter((name) => name !== account);
  const trials = others.flatMap((name) => trialsOf(evidence, "sequence", name));
  return trials.some((trial2) => shareGranted(trial2, evidence) !== null) && shortOf(trials, evidence).length === 0;
}
function shortOf(trials, evidence) {
  const shares = trials.flatMap((trial2) => shareGranted(trial2, evidence) ?? []);
  return shares.filter(
    ({ granted, named: named2, last }) => granted > 0 && granted < named2 && !booksOf(evidence).explained.has(last)
  );
}
function isGrantedAlways(count, evidence) {
  const { requests, seconds } = evidence.target.rate;
  const allOf = (group) => accountsOf(evidence).flatMap((account) => trialsOf(evidence, group, account));
  const isNoMore = (trial2) => {
    const through = letThrough(trial2, evidence);
    const endMs = (through[0]?.sentAtMs ?? 0) + seconds * 1e3 / requests;
    return through.filter(({ receivedAtMs }) => receivedAtMs < endMs).length <= count;
  };
  const sequences = allOf("sequence");
  return shortOf(sequences, evidence).every(({ granted }) => granted === count) && [...sequences, ...allOf("concurrent")].every(isNoMore);
}
function emptyBursts(evidence, account) {
  const own = ownOf(evidence, account);
  const beginnings = beginningsOf(evidence, account).filter((turn) => isSpaced(turn, evidence, LITTLE_MS));
  return trialsOf(evidence, "concurrent", account).filter((trial2) => {
    const after = own[own.findLastIndex((exchange) => trial2.includes(exchange)) + 1];
    return trial2.length > 1 && trial2.every((exchange) => isWhole(exchange) && !exchange.resent && isQuiet(exchange, evidence)) && letThrough(trial2, evidence).length === 0 && beginnings.some(({ next }) => next === trial2[0]) && after !== void 0 && letThrough([after], evidence).length > 0;
  });
}
function wrongRemainders(evidence, account) {
  const trials = trialsOf(evidence, "sequence", account);
  const wrong = trials.flatMap((trial2) => miscounted(trial2, evidence, leastGranted(trials, evidence))).filter(({ exchange }) => !isStored(exchange, evidence));
  const isWholeKnown = !isOverRate(trials, evidence, account);
  const certain = wrong.filter(({ span }) => span === null && isWholeKnown);
  const spans = wrong.flatMap(({ span }) => span ?? []);
  const unexplained = isExplainedByBoundaries(spans, windowSeconds(evidence) * 1e3) ? certain : wrong;
  const broken = trials.flatMap((trial2) => brokenPromises(trial2, evidence));
  return [
    ...unexplained.map(({ exchange, said, due }) => ({
      ...remainingFlaw(`${said} where ${due} were left`, due),
      exchanges: [exchange]
    })),
    // Somebody else's request may have come in between once.
    ...broken.length > 1 ? broken : []
  ];
}
function brokenPromises(trial2, evidence) {
  return trial2.flatMap((exchange, i) => {
    const next = trial2[i + 1];
    const left = isStored(exchange, evidence) ? null : saidBy(exchange).remaining;
    if (!next || !left || isRefused(exchange, evidence) || !isWhole(next) || !isRefused(next, evidence)) return [];
    if (!isQuiet(next, evidence) || next.sentAtMs - exchange.receivedAtMs > AT_ONCE_MS) return [];
    return [{ ...remainingFlaw(`${left}, and the next request was refused`, 0), exchanges: [exchange, next] }];
  });
}
function remainingFlaw(got, due) {
  return headerFlaw("X-RateLimit-Remaining", got, String(due));
}

// src/judge/rate/headers.ts
var headerRules = {
  "rate.headers-present": {
    needs: ["sequence"],
    judge(evidence) {
      const responses = keyedResponses(evidence);
      if (responses.length === 0) return notTested(whyNotSent(evidence, "read", BROKEN));
      const absent = HEADERS.filter((name) => !responses.some(carries(name)));
      if (absent.length > 0 && refusalsOf(evidence).length === 0)
        return notTested(`No response carried ${absent.join(", ")}. ${noRefusal(evidence)}`);
      return judged(
        responses,
        absent.map((name) => ({
          ...headerFlaw(name, `absent from all ${responses.length} responses to a valid key`, "on these responses"),
          exchanges: responses.slice(0, 1)
        }))
      );
    }
  },
  "rate.headers-everywhere": {
    needs: ["sequence"],
    judge(evidence) {
      const responses = keyedResponses(evidence);
      const used = HEADERS.filter((name) => responses.some(carries(name)));
      if (responses.length > 0 && used.length === 0)
        return notTested("No response carried any X-RateLimit header: rate.headers-present says so.");
      return each(responses, whyNotSent(evidence, "read", BROKEN), (exchange) => {
        const absent = used.filter((name) => !carries(name)(exchange));
        return absent.map((name) => headerFlaw(name, `absent from a ${statusOf(exchange)}`, "on every response"));
      });
    }
  },
  "rate.limit-format": wherever("X-RateLimit-Limit", "a decimal integer above 0", (value) => {
    const limit2 = wholeNumber(value);
    return limit2 === null ? notDecimal(value) : limit2 > 0 ? null : "not above 0";
  }),
  "rate.remaining-format": wherever("X-RateLimit-Remaining", "a decimal integer up to the limit", (value, exchange) => {
    const remaining = wholeNumber(value);
    if (remaining === null) return notDecimal(value);
    const limit2 = saidBy(exchange).limit;
    return limit2 !== null && remaining > limit2 ? `above X-RateLimit-Limit: ${limit2}` : null;
  }),
  "rate.reset-format": wherever(
    "X-RateLimit-Reset",
    "whole seconds since the epoch, soon to come",
    (value, exchange, evidence) => {
      const reset = wholeNumber(value);
      if (reset === null)
        return Number.isNaN(Number(value)) ? "not a number of seconds since the epoch" : notDecimal(value);
      const { most: now } = answeredAt(exchange, evidence);
      if (reset < now / 10) return "a number of seconds to wait, not a time since the epoch";
      if (reset > now * 100) return "milliseconds, not seconds since the epoch";
      const ahead = secondsAhead(reset, exchange, evidence);
      if (ahead.least > DAY_SECONDS) return "more than a day ahead";
      const heldSeconds = (exchange.receivedAtMs - exchange.sentAtMs) / 1e3;
      return ahead.most < -ROUNDING_SECONDS - heldSeconds ? `${Math.round(-ahead.most)} s before the response${saidBy(exchange).dateSeconds === null ? "" : ", by its Date"}` : null;
    }
  ),
  "rate.retry-after-present": {
    needs: ["sequence", "concurrent"],
    judge: (evidence) => ofRefusals(evidence, (refusals) => {
      if (refusals.some(carries("Retry-After"))) return judged(refusals, []);
      if (refusals.length === 1)
        return notTested("A single request was refused, without Retry-After: that may be an accident.");
      const flaw = headerFlaw("Retry-After", `absent from all ${refusals.length} refusals`, "on a refusal");
      return judged(refusals, [{ ...flaw, exchanges: refusals.slice(0, 1) }]);
    })
  },
  "rate.retry-after-format": {
    needs: ["sequence", "concurrent"],
    judge(evidence) {
      const finding = retryAfterForm.judge(evidence);
      const isBare = finding.notTested !== null && refusalsOf(evidence).length === 0;
      return isBare ? withoutRefusals(evidence) : finding;
    }
  }
};
var retryAfterForm = wherever("Retry-After", "whole seconds or an HTTP-date", (value) => {
  if (wholeNumber(value) !== null || httpDate(value)) return null;
  return /^[-+]?\d+(?:\.\d+)?$/.test(value) ? notDecimal(value) : "neither whole seconds nor an HTTP-date in GMT";
});
var HEADERS = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];
function wherever(name, expected, check) {
  const judge = (evidence) => {
    const bearing = ofTheApi(evidence).filter(isWhole).filter(carries(name));
    return each(bearing, `No response carried ${name}, so its form could not be judged.`, (exchange) => {
      const values = valuesOf(exchange, name);
      if (values.length > 1) return headerFlaw(name, `${values.length} times, ${values.join(" and ")}`, expected);
      const wrong = check(values[0] ?? "", exchange, evidence);
      return wrong === null ? null : headerFlaw(name, `${values[0]} (${wrong})`, expected);
    });
  };
  return { needs: ["sequence"], judge };
}
function notDecimal(value) {
  if (/^-\d+$/.test(value)) return "negative";
  return /^-?\d+\.\d+$/.test(value) ? "a fraction" : "not a decimal integer";
}

// src/judge/rate/promises.ts
var promiseRules = {
  "rate.reset-honest": {
    needs: ["recovery", "promise"],
    judge: unlessUsedElsewhere((evidence, accounts) => {
      const bearing = freshWith("reset", evidence).filter(({ account }) => account !== null);
      if (bearing.length === 0)
        return notTested("No fresh response to a valid key carried a well-formed X-RateLimit-Reset.");
      const far = breachesIn(bearing, (exchange) => {
        const { least: ahead } = secondsAhead(saidBy(exchange).reset, exchange, evidence);
        if (ahead <= longestHonestSeconds(evidence.target.rate) || ahead > DAY_SECONDS) return null;
        const reset = saidBy(exchange).reset;
        return headerFlaw("X-RateLimit-Reset", `${reset}, ${Math.round(ahead)} s ahead`, endOfWindow(evidence));
      });
      const late = accounts.flatMap((account) => refusedAfterReset(evidence, account));
      return judged(bearing, [...far, ...areApart(late, evidence) ? late : []]);
    })
  },
  "rate.retry-after-honest": {
    needs: ["recovery"],
    judge: unlessUsedElsewhere(
      (evidence, accounts) => ofRefusals(evidence, (refusals) => {
        const asking = refusals.filter((exchange) => saidBy(exchange).retryAfter !== null);
        if (asking.length === 0)
          return notTested(
            "No refusal carried a well-formed Retry-After (rate.retry-after-present, rate.retry-after-format)."
          );
        const byAccount = accounts.map((account) => refusedAfterItsWait(evidence, account));
        const early = byAccount.flat();
        const isRepeated = areApart(early, evidence) || byAccount.some((ofAccount) => ofAccount.length > 2);
        const late = breachesIn(asking, (exchange) => tooLong(exchange, evidence));
        return judged(asking, [...late, ...isRepeated ? early : []]);
      })
    )
  },
  "rate.retry-after-agrees": {
    needs: ["sequence"],
    judge: (evidence) => ofRefusals(evidence, (refusals) => {
      if (!refusals.filter(carries("Retry-After")).some(carries("X-RateLimit-Reset")))
        return inapplicable(
          refusals,
          `None of ${refusals.length} refusals carried both Retry-After and X-RateLimit-Reset, so there is nothing to agree.`
        );
      const both = refusals.filter(
        (exchange) => saidBy(exchange).retryAfter !== null && resetIsTime(exchange, evidence)
      );
      return each(
        both,
        "No refusal carried both Retry-After and X-RateLimit-Reset in form.",
        (exchange) => apartness(exchange, evidence)
      );
    })
  }
};
function isPlainlyRefused(exchange, evidence) {
  return isWhole(exchange) && !exchange.resent && isRefused(exchange, evidence) && isQuiet(exchange, evidence);
}
function refusedAfterReset(evidence, account) {
  return turnsOf(evidence, account).flatMap(({ before, next }) => {
    const isKept3 = before.every((exchange) => {
      const reset = saidBy(exchange).reset;
      const passedAtMs = reset === null ? null : passesAtMs(reset, exchange, evidence);
      const isPromise = isWhole(exchange) && !exchange.resent && !isStored(exchange, evidence);
      return isPromise && passedAtMs !== null && passedAtMs + LITTLE_MS <= next.sentAtMs;
    });
    if (!isKept3 || !isPlainlyRefused(next, evidence)) return [];
    const expected = "acceptance once it has passed";
    return before.slice(-1).map((last) => {
      const got = `${saidBy(last).reset}, and the next request refused after it, with nothing sent meanwhile`;
      return { ...headerFlaw("X-RateLimit-Reset", got, expected), exchanges: [last, next] };
    });
  });
}
function endOfWindow(evidence) {
  return `the end of a window of ${windowSeconds(evidence)} s`;
}
function tooLong(refusal, evidence) {
  const asked2 = waitAskedSeconds(refusal, evidence);
  const rounding = saidBy(refusal).retryAfter?.form === "date" ? ROUNDING_SECONDS : 0;
  if (!asked2 || asked2.least <= longestHonestSeconds(evidence.target.rate) + rounding) return null;
  const got = `${valuesOf(refusal, "Retry-After")[0]}, which asks for ${Math.round(asked2.least)} s`;
  return headerFlaw("Retry-After", got, endOfWindow(evidence));
}
function refusedAfterItsWait(evidence, account) {
  let dueMs = null;
  return turnsOf(evidence, account).flatMap((turn) => {
    const { before, next } = turn;
    const refusals = before.filter((exchange) => isRefused(exchange, evidence));
    const refusal = refusals.at(-1);
    const isKept3 = refusals.every((exchange) => saidBy(exchange).retryAfter !== null) && keptItsWait(turn, evidence);
    if (refusal === void 0 || !isKept3 || !isPlainlyRefused(next, evidence)) {
      dueMs = null;
      return [];
    }
    dueMs ??= refusal.receivedAtMs + waitAskedSeconds(refusal, evidence).most * 1e3;
    if (next.sentAtMs < dueMs + LITTLE_MS) return [];
    const waitedMs2 = Math.round(next.sentAtMs - refusal.receivedAtMs);
    const value = valuesOf(refusal, "Retry-After")[0];
    const got = `${value}, and refused again ${waitedMs2} ms later, with nothing sent meanwhile`;
    return [{ ...headerFlaw("Retry-After", got, "acceptance after that wait"), exchanges: [refusal, next] }];
  });
}
function apartness(refusal, evidence) {
  const asked2 = saidBy(refusal).retryAfter;
  const reset = saidBy(refusal).reset;
  const ahead = secondsAhead(reset, refusal, evidence);
  const apart = asked2?.form === "seconds" ? Math.max(ahead.least - asked2.seconds, asked2.seconds - ahead.most) : Math.abs((asked2?.epochSeconds ?? reset) - reset);
  if (apart <= longestHonestSeconds(evidence.target.rate)) return null;
  const got = `${valuesOf(refusal, "Retry-After")[0]}, and X-RateLimit-Reset: ${reset}, ${Math.round(apart)} s apart`;
  return headerFlaw("Retry-After", got, "the moment of X-RateLimit-Reset");
}
function resetIsTime(exchange, evidence) {
  const reset = saidBy(exchange).reset;
  return reset !== null && Math.abs(secondsAhead(reset, exchange, evidence).least) <= DAY_SECONDS;
}

// src/judge/reachability.ts
var STILL_JUDGED = /* @__PURE__ */ new Set(["auth.accepted", "transport.complete", "transport.https"]);
function whyUnjudged(id, evidence) {
  const isFeigned = id === "auth.accepted" && isOneWebPage(evidence);
  if (noKeyAccepted(evidence) === null || STILL_JUDGED.has(id) && !isFeigned) return null;
  return "No key was accepted, so nothing else could be judged (auth.accepted).";
}
var noKeyAccepted = once((evidence) => {
  const keyed = evidence.exchanges.filter(({ account }) => account !== null);
  const isLetIn = keyed.some(isAccepted) && !isOneWebPage(evidence);
  if (keyed.length === 0 || isLetIn) return null;
  const { baseURL } = evidence.target;
  return `No key was accepted at ${baseURL}/webhooks: ${answersIn(keyed)}. ${whatLooksWrong(baseURL, keyed)}`;
});
function isOneWebPage({ exchanges }) {
  const whole = exchanges.filter((exchange) => isWhole(exchange) && exchange.request.method === "GET");
  const isMixed = new Set(whole.map(({ account }) => Boolean(account))).size > 1;
  return isMixed && whole.every((exchange) => isAccepted(exchange) && isWebPage(exchange));
}
function isWebPage({ response }) {
  return /^\s*<(?:!doctype\s+html|html)\b/i.test(response?.body.slice(0, 500) ?? "");
}
function answersIn(keyed) {
  const byAnswer = groupedBy(
    keyed,
    (exchange) => isWhole(exchange) ? `${statusOf(exchange)}${isWebPage(exchange) ? " with a web page" : ""}` : "no whole answer"
  );
  return [...byAnswer].map(([answer, to]) => `${answer} to ${[...new Set(to.map(({ account }) => account))].join(" and ")}`).join(", ");
}
function whatLooksWrong(baseURL, keyed) {
  const breaks = "if key and address are right, the server breaks auth.accepted.";
  const whole = keyed.filter(isWhole);
  const statuses = whole.map(statusOf);
  const asksForTls = whole.some(
    (exchange) => statusOf(exchange) === 400 && /https|ssl|tls/i.test(exchange.response?.body ?? "")
  );
  const hungUp = keyed.every(({ fault }) => fault?.kind === "reset" || fault?.kind === "malformed");
  if (baseURL.startsWith("http:") && (asksForTls || hungUp))
    return `The scheme looks wrong: http:// was spoken to what may be an https port. Try https://; ${breaks}`;
  const [elsewhere] = whole.flatMap((exchange) => linesOf(exchange.response?.headers ?? [], "Location"));
  if (elsewhere !== void 0 && statuses.every((status) => Math.floor(status / 100) === 3))
    return `The server redirects to ${elsewhere.slice(0, 200)}: use the address of the API itself; ${breaks}`;
  const meant = addressMeant(baseURL);
  if (!/\/v\d+$/.test(new URL(baseURL).pathname))
    return `The path looks wrong: it does not end in a version. Try ${meant}, then check the keys; ${breaks}`;
  if (whole.length === 0)
    return `Is the server up, and do scheme and port fit together? Otherwise the server breaks auth.accepted.`;
  if (whole.every(isWebPage))
    return `A web page answers in place of the API: it may be down for maintenance, or host or path are another's; ${breaks}`;
  const advice = meant === baseURL ? "Check it" : `Try ${meant}, then check the keys`;
  if (statuses.every((status) => status === 404))
    return `The path looks wrong: nothing stands there. ${advice}; ${breaks}`;
  if (statuses.every((status) => status >= 500))
    return `The server fails at everything: is it up? Otherwise it breaks auth.accepted.`;
  if (statuses.every((status) => status === 429))
    return `Is somebody else using the key, or was it banned? Otherwise the server breaks auth.accepted.`;
  return `Check the keys and the address; ${breaks}`;
}
function addressMeant(baseURL) {
  const { origin, pathname } = new URL(baseURL);
  const path = pathname.replace(/\/v\d+(?:\/.*)?$/, "").replace(/\/(?:webhooks)?$/, "");
  return `${origin}${path}/v2`;
}

// src/judge/settings.ts
function onReads(judge) {
  return { needs: ["read"], judge };
}
var settingsRules = {
  "settings.json": onReads((evidence) => eachRead(evidence, flawOfJson)),
  "settings.content-type": onReads((evidence) => eachRead(evidence, flawOfContentType)),
  "settings.envelope": onReads((evidence) => {
    const isJson = (read4) => bodyAt(read4) !== void 0;
    return eachHaving(isJson, "No document is JSON (settings.json).", evidence, flawOfEnvelope);
  }),
  "settings.kinds": eachParent(
    "webhook",
    (webhook) => firstWrong(KINDS, (kind) => isObject(webhook[kind]) ? null : memberFlaw(kind, shown2(webhook[kind]), "an object"))
  ),
  "settings.kind-status": eachKind("status"),
  "settings.kind-url": eachKind("url"),
  "settings.auth-status": eachParent(
    "webhook",
    ({ auth }) => isObject(auth) ? flawOf("auth.status", auth.status) : memberFlaw("auth", shown2(auth), "an object")
  ),
  "settings.auth-type": eachParent("webhook.auth", ({ type }) => flawOf("auth.type", type)),
  "settings.basic": hasItsMembers("basic"),
  "settings.username": eachParent(
    "webhook.auth.basic",
    ({ username }) => (
      // settings.basic judges whether the member exists.
      username === void 0 ? null : flawOf("auth.basic.username", username)
    )
  ),
  "settings.password-null": eachParent("webhook.auth.basic", ({ password }) => {
    if (password === null) return null;
    const what = password === void 0 ? shown2(password) : `${typeInWords(password)} where null must stand`;
    return memberFlaw("auth.basic.password", what, "null");
  }),
  "settings.password-absent": {
    needs: ["read", "missing-key", "unknown-key"],
    judge: passwordsInResponses,
    ofBodies: "all"
  },
  "settings.has-password-type": eachParent(
    "webhook.auth.basic",
    ({ hasPassword }) => hasPassword === void 0 ? null : flawOf("auth.basic.hasPassword", hasPassword)
  ),
  "settings.has-password-stored": hasPasswordIs(true),
  "settings.has-password-not-stored": hasPasswordIs(false),
  "settings.apikey": hasItsMembers("apikey"),
  "settings.apikey-unused": onReads(unusedApikeyIsNull),
  "settings.as-configured": ofDeclared(
    ({ settings }) => settings !== void 0,
    "Declare `settings` of an account in the target file: what is configured there is compared with what is served.",
    servedAsDeclared
  ),
  "settings.stable": { needs: ["read", "together"], judge: sameInEveryRead },
  "settings.no-extra": eachParent("webhook", undescribedMember)
};
function eachRead(evidence, check, reads = ownReads(evidence)) {
  const none = "GET /webhooks was never accepted, so there is no document to judge (auth.accepted)";
  return each(reads, whyNoRead(evidence, none), check);
}
function eachHaving(has, none, evidence, check, reads = ownReads(evidence)) {
  const having = reads.filter(has);
  return reads.length > 0 && having.length === 0 ? notTested(none) : eachRead(evidence, check, having);
}
function eachParent(path, check) {
  const parentIn = (read4) => bodyAt(read4, ...path.split("."));
  return onReads(
    (evidence) => eachHaving(
      (read4) => isObject(parentIn(read4)),
      noObjectAt(path),
      evidence,
      (read4) => check(parentIn(read4))
    )
  );
}
function noObjectAt(path) {
  return `No document holds an object at ${path}: the clauses of its parents say what is wrong.`;
}
function ofDeclared(isDeclared, undeclared, judge) {
  return onReads((evidence) => {
    const names = evidence.target.accounts.filter(isDeclared).map(({ name }) => name);
    const reads = ownReads(evidence).filter(({ account }) => account !== null && names.includes(account));
    return names.length === 0 ? notTested(undeclared) : judge(reads, evidence);
  });
}
function shown2(value) {
  if (value === void 0) return "no such member";
  const text2 = JSON.stringify(value);
  return text2.length > 80 ? `${text2.slice(0, 77)}\u2026` : text2;
}
function typeInWords(value) {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}
function firstWrong(items, check) {
  return items.map(check).find((wrong) => wrong !== null) ?? null;
}
function flawOf(path, value) {
  return isWellFormed(path, value) ? null : memberFlaw(path, shown2(value), FORMS.get(path)?.form ?? "an object");
}
function eachKind(member) {
  return eachParent(
    "webhook",
    (webhook) => firstWrong(KINDS, (kind) => {
      const setting = webhook[kind];
      return isObject(setting) ? flawOf(`${kind}.${member}`, setting[member]) : null;
    })
  );
}
function hasItsMembers(name) {
  return eachParent("webhook.auth", ({ [name]: part2 }) => {
    if (!isObject(part2)) return memberFlaw(`auth.${name}`, shown2(part2), "an object");
    const missing = MEMBERS[`auth.${name}`].find((member) => !(member in part2));
    return missing === void 0 ? null : memberFlaw(`auth.${name}.${missing}`, shown2(void 0), "the member");
  });
}
function flawOfJson({ response }) {
  const body = response?.body ?? "";
  const twice = duplicateMembers(body)[0];
  const wrong = response?.bodyEncoding === "base64" ? "a body that is not UTF-8" : body === "" ? "an empty body" : body.startsWith("\uFEFF") ? "a body that begins with a byte order mark, which is not JSON" : unreadable(body);
  if (wrong !== null) return answerFlaw(wrong, "JSON in UTF-8");
  return twice === void 0 ? null : memberFlaw(twice, "twice in one object", "each member once");
}
function flawOfContentType(read4) {
  const types = valuesOf(read4, "Content-Type");
  const essence = types[0]?.split(";")[0]?.trim().toLowerCase() ?? "";
  const isJson = /^(?:(?:application|text)\/json|[^/]+\/[^/]+\+json)$/.test(essence);
  if (isJson && types.length === 1) return null;
  return headerFlaw("Content-Type", types.join(", ") || "absent", "application/json, once");
}
function flawOfEnvelope(read4) {
  const document = bodyAt(read4);
  if (!isObject(document)) return answerFlaw(`${typeInWords(document)} instead of an object`, "an object");
  if (!isObject(document.webhook)) {
    const what = "webhook" in document ? typeInWords(document.webhook) : shown2(void 0);
    return memberFlaw("webhook", what, "an object");
  }
  const other = Object.keys(document).find((name) => name !== "webhook");
  return other === void 0 ? null : memberFlaw(other, "a member beside `webhook`", "no other member");
}
function unusedApikeyIsNull(evidence) {
  const isUnused = (read4) => bodyAt(read4, "webhook", "auth", "type") === "basic" || memberAt(declaredOf(evidence, read4.account)?.settings, "auth", "type") === "basic";
  const none = 'Every account uses another scheme than "basic": declare one whose `auth.type` is "basic".';
  return eachHaving(
    isUnused,
    none,
    evidence,
    (read4) => firstWrong(MEMBERS["auth.apikey"], (member) => {
      const value = bodyAt(read4, "webhook", "auth", "apikey", member) ?? null;
      if (value === null) return null;
      return memberFlaw(`auth.apikey.${member}`, `${shown2(value)} though the scheme is "basic"`, "null");
    })
  );
}
function servedAsDeclared(reads, evidence) {
  const webhookIn2 = (read4) => bodyAt(read4, "webhook");
  const check = (read4) => differences(declaredOf(evidence, read4.account)?.settings, webhookIn2(read4)).filter(({ path, served }) => isWellFormed(path, served, webhookIn2(read4))).map(({ path, served, declared }) => {
    const got = `${shown2(served)} to ${read4.account}, for which ${shown2(declared)} is declared`;
    return memberFlaw(path, got, shown2(declared));
  });
  return eachHaving((read4) => isObject(webhookIn2(read4)), noObjectAt("webhook"), evidence, check, reads);
}
function sameInEveryRead(evidence) {
  const firsts = /* @__PURE__ */ new Map();
  return eachRead(evidence, (read4) => {
    const { account, index } = read4;
    const settings = describedOf(read4);
    if (settings === null) return null;
    const first = firsts.get(account) ?? { settings, index };
    firsts.set(account, first);
    if (first.settings === settings) return null;
    const got = `other settings than its first read gave (entry ${first.index})`;
    return accountFlaw(account ?? "", got, "the same settings in every read");
  });
}
function undescribedMember(webhook) {
  return firstWrong(Object.entries(MEMBERS), ([path, members]) => {
    const names = path.split(".").filter(Boolean);
    const object = memberAt(webhook, ...names);
    const extra = isObject(object) ? Object.keys(object).find((name) => !members.includes(name)) : void 0;
    if (extra === void 0) return null;
    return memberFlaw([...names, extra].join("."), "a member that the description does not name", "no such member");
  });
}
function hasPasswordIs(stored) {
  const quantity = stored ? "a" : "no";
  return ofDeclared(
    ({ hasPassword }) => hasPassword === stored,
    `Declare an account with \`hasPassword: ${stored}\` in the target file: one that has ${quantity} password stored.`,
    (reads, evidence) => eachRead(
      evidence,
      (read4) => (
        // settings.has-password-type judges values that are not boolean.
        bodyAt(read4, "webhook", "auth", "basic", "hasPassword") === !stored ? memberFlaw(
          "auth.basic.hasPassword",
          `${!stored} for ${read4.account}, which is declared to have ${quantity} password stored`,
          String(stored)
        ) : null
      ),
      reads
    )
  );
}
var BOOLEAN = { fits: (served) => typeof served === "boolean", form: "true or false" };
var ADDRESS = {
  fits: (served) => typeof served === "string" && isHttpUrl(served),
  form: "an http or https address"
};
var OF_APIKEY = {
  fits: (served, webhook) => served === null || served !== void 0 && memberAt(webhook, "auth", "type") !== "basic",
  form: "null, unless the API-key scheme is in use"
};
var FORMS = new Map([
  ...KINDS.flatMap((kind) => [[`${kind}.status`, BOOLEAN], [`${kind}.url`, ADDRESS]]),
  ["auth.status", BOOLEAN],
  ["auth.type", { fits: (served) => typeof served === "string" && served !== "", form: "a string that is not empty" }],
  [
    "auth.basic.username",
    { fits: (served) => typeof served === "string" || served === null, form: "a string or null" }
  ],
  ["auth.basic.password", { fits: (served) => served === null, form: "null" }],
  ["auth.basic.hasPassword", BOOLEAN],
  ["auth.apikey.header", OF_APIKEY],
  ["auth.apikey.apikey", OF_APIKEY]
]);
function isWellFormed(path, served, webhook) {
  return FORMS.get(path)?.fits(served, webhook) ?? !isMemberPath(path);
}

// src/judge/time-limit.ts
var import_node_vm = require("node:vm");
var MOST_MS = 1e4;
var MOST_IN_ALL_MS = 3e4;
var LEAST_MS = 500;
var PATIENCE = [1, 4, 16];
var script = new import_node_vm.Script("work()");
var inside = { work: () => null };
var context = (0, import_node_vm.createContext)(inside);
function within(work, allowance = { leftMs: MOST_IN_ALL_MS }, mostMs = MOST_MS) {
  const timeout = Math.max(LEAST_MS, Math.min(mostMs, allowance.leftMs));
  for (const times of PATIENCE) {
    const before = process.cpuUsage();
    inside.work = work;
    try {
      return { value: script.runInContext(context, { timeout: times * timeout }) };
    } catch (problem) {
      if (problem?.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") return { problem };
    }
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1e3 > timeout / 2) break;
  }
  allowance.leftMs -= timeout;
  return { lateAfterSeconds: timeout / 1e3 };
}

// src/judge/transport.ts
var transportRules = {
  "transport.complete": {
    needs: ["read", "missing-key"],
    ofTheWholeRun: true,
    judge(evidence) {
      if (evidence.exchanges.length === 0) return notTested("Nothing was sent.");
      const outage = outageOf(evidence);
      const stopped = outage ? [{ ...serverFlaw(outageInWords(outage, evidence)), exchanges: [outage] }] : [];
      const broken = breachesIn(whileServing(evidence).exchanges, ({ fault }) => fault && serverFlaw(inWords(fault)));
      return judged(evidence.exchanges, [...stopped, ...broken]);
    }
  },
  "transport.https": {
    needs: [],
    judge(evidence) {
      const { baseURL } = evidence.target;
      const { protocol, hostname } = new URL(baseURL);
      const isPlain = protocol !== "https:" && !isLoopback(hostname);
      const got = "plain http, so that every key can be read on the way";
      const subject = { kind: "address", name: baseURL };
      return judged([], isPlain ? [{ subject, expected: "https://", got, exchanges: [] }] : []);
    }
  }
};
function serverFlaw(got) {
  return { subject: { kind: "server", name: "the server" }, expected: "a whole answer to every request", got };
}
function inWords({ kind, message }) {
  return kind === "unreachable" ? `the server could not be reached any more: ${message}` : `the server ${message}`;
}

// src/contract/clauses.ts
var import_node_fs = require("node:fs");
var import_node_path2 = require("node:path");
var import_yaml = __toESM(require_dist());

// src/common/suite.ts
var import_node_module = require("node:module");
var import_node_path = require("node:path");
var root = (0, import_node_path.dirname)((0, import_node_module.createRequire)(`${__dirname}/`).resolve("#package"));

// src/contract/digest.ts
var import_node_crypto3 = require("node:crypto");
function sha256Of(content) {
  return (0, import_node_crypto3.createHash)("sha256").update(content).digest("hex");
}
function digestOf(content) {
  return `sha256:${sha256Of(content)}`;
}

// src/contract/clauses.ts
var text = (0, import_node_fs.readFileSync)((0, import_node_path2.join)(root, "schemas", "clauses.yaml"), "utf8");
var contractDigest = digestOf(text);
var contract = (0, import_yaml.parse)(text);
var clauseTexts = contract.clauses.map((clause) => ({
  ...clause,
  area: clause.id.split(".")[0] ?? ""
}));
var observationTexts = contract.observations;
function textOf(id) {
  const text2 = clauseTexts.find((clause) => clause.id === id);
  if (!text2) throw new Error(`The contract has no clause ${id}.`);
  return text2;
}

// src/judge/sentences.ts
var MOST_GROUPS = 3;
var ABOUT = ({ subject: { name }, got }) => `${name}: ${got}`;
var ALONE = ({ got }) => got;
var SENTENCES = {
  header: ABOUT,
  member: ABOUT,
  limit: ABOUT,
  account: ABOUT,
  notification: ABOUT,
  request: ({ subject: { name }, got }) => `${got} ${name}`,
  answer: ALONE,
  address: ABOUT,
  server: ALONE
};
function sentenceOf(flaw) {
  return SENTENCES[flaw.subject.kind](flaw);
}
function reasonOf(breaches) {
  const groups2 = [...groupedBy(breaches, likenessOf).values()].slice(0, MOST_GROUPS);
  const untold = breaches.length - groups2.flat().length;
  const texts = groups2.flatMap(
    ([first2, ...more]) => first2 ? `${sentenceOf(first2)}${more.length > 0 ? ` (and ${more.length} more like it)` : ""}` : []
  );
  const text2 = `${[...texts, ...untold > 0 ? [`and ${untold} more`] : []].join("; ")}.`;
  const [first] = breaches;
  return first && SENTENCES[first.subject.kind] === ALONE ? text2.charAt(0).toUpperCase() + text2.slice(1) : text2;
}
function likenessOf({ subject: { kind, name }, exchanges }) {
  const telling = exchanges.at(-1);
  if (kind === "header" || kind === "member") return `${kind} ${name}`;
  return `${kind} ${telling && statusOf(telling)} ${telling && disclosesSettings(telling)}`;
}

// src/judge/severity.ts
var HARM = { other: 0, answered: 1, letIn: 2, disclosed: 3 };
function harmOf({ exchanges }, id) {
  const telling = exchanges.filter(({ account }) => account !== null || !id.startsWith("rate."));
  return Math.max(HARM.other, ...telling.map(harmOfExchange));
}
function harmOfExchange(exchange) {
  const isKeyless = exchange.account === null;
  const mayRead = !isKeyless && isAccepted(exchange);
  if (!mayRead && (disclosesSettings(exchange) || isKeyless && holdsSecret(exchange))) return HARM.disclosed;
  if (isKeyless && isAccepted(exchange)) return HARM.letIn;
  return isWhole(exchange) ? HARM.answered : HARM.other;
}
function holdsSecret({ response }) {
  return markersIn(response?.body ?? "").some(({ kind }) => kind === "password" || kind === "receiverKey");
}
function worstFirst(breaches, id) {
  const groups2 = groupedBy(breaches, (breach) => harmOf(breach, id));
  return [...groups2].sort(([a], [b]) => b - a).flatMap(([, alike]) => alike);
}

// src/judge/verdict.ts
function judgementOf(id, finding, evidence, today) {
  const { level, section } = textOf(id);
  const breaches = [...worstFirst(finding.breaches, id), ...worstFirst(finding.warnings ?? [], id)];
  const waiver = evidence.target.waivers.find(({ clause }) => clause === id);
  const base = { id, level, section, breaches };
  if (breaches.length === 0) {
    const { notTested: notTested2, inapplicable: inapplicable2 = null } = finding;
    const why = notTested2 ?? inapplicable2;
    return {
      ...base,
      verdict: notTested2 !== null ? "not-tested" : inapplicable2 !== null ? "inapplicable" : "pass",
      reason: why && capitalised(/[.:!?]$/.test(why) ? why : `${why}.`),
      evidence: unique(finding.evidence),
      note: why === null && waiver ? `The waiver of ${id} is stale: the clause passes.` : null
    };
  }
  const seen = reasonOf(breaches);
  const shown3 = breaches.flatMap(({ exchanges, deliveries = [] }) => [...exchanges, ...deliveries]);
  const waives = waiver !== void 0 && (waiver.until === void 0 || today <= waiver.until);
  const until = waiver?.until ? ` until ${waiver.until}` : "";
  return {
    ...base,
    verdict: waives ? "waived" : level === "must" && finding.breaches.length > 0 ? "fail" : "warn",
    reason: waives ? `${seen} Waived${until}: ${waiver.reason}` : seen,
    evidence: unique(shown3.map(({ index }) => index)),
    note: waiver && !waives ? `The waiver of ${id} ended on ${waiver.until} and waives nothing any more.` : null
  };
}
function capitalised(text2) {
  return /^[a-z]+(?:[ ,;']|$)/.test(text2) ? text2.charAt(0).toUpperCase() + text2.slice(1) : text2;
}
function unique(entries) {
  return [...new Set(entries)].sort((a, b) => a - b);
}

// src/judge/version.ts
var versionRules = {
  "version.base": {
    needs: [],
    judge(evidence) {
      const { baseURL } = evidence.target;
      const segment = lastSegment(baseURL);
      const got = segment === "" ? "no version at all" : `"${segment}" as the last segment`;
      const flaw = { subject: { kind: "address", name: baseURL }, expected: '"v2" as the last segment', got };
      return judged([], segment === "v2" ? [] : [{ ...flaw, exchanges: [] }]);
    }
  },
  "version.unknown": { needs: ["version"], judge: servesNothingBelow("v0", "v999"), ofBodies: "all" },
  "version.unversioned": { needs: ["version"], judge: servesNothingBelow("unversioned"), ofBodies: "all" }
};
function lastSegment(baseURL) {
  return new URL(baseURL).pathname.split("/").filter(Boolean).at(-1) ?? "";
}
function servesNothingBelow(...versions) {
  return (evidence) => {
    if (lastSegment(evidence.target.baseURL) !== "v2")
      return notTested("The base URL has no segment v2 to replace (version.base).");
    const sent = exchangesOf(evidence, "version").filter((exchange) => versions.includes(exchange.probe.form));
    const probes = sent.filter(
      (exchange) => !isRefused(exchange, evidence) && (statusOf(exchange) !== 503 || disclosesSettings(exchange))
    );
    const seen = probes.map(({ probe: probe2 }) => probe2.form);
    const isHidden = sent.some(({ probe: probe2 }) => !seen.includes(probe2.form));
    const finding = each(
      probes,
      whyNotSent(evidence, "version", HIDDEN),
      (exchange) => disclosesSettings(exchange) ? requestFlaw(
        `from ${new URL(exchange.request.url).pathname}`,
        `${statusOf(exchange)} with the settings`,
        "no settings"
      ) : null
    );
    return unlessUnseen(finding, isHidden ? HIDDEN : null, []);
  };
}
var HIDDEN = "a request for another version got nothing but a refusal or 503, so whether the settings are served there was not seen";

// src/judge/rules.ts
var rules = {
  ...authRules,
  ...settingsRules,
  ...limitRules,
  ...headerRules,
  ...countRules,
  ...promiseRules,
  ...budgetRules,
  ...versionRules,
  ...eventRules,
  ...transportRules
};
function ruleOf(id) {
  const rule = Object.hasOwn(rules, id) ? rules[id] : void 0;
  if (!rule) throw new Error(`No rule judges the clause ${id}.`);
  return rule;
}
function judgementsOf(ids, evidence, today) {
  return new Map(
    [...ids].map((id) => {
      const worked = within(() => judgementOf(id, findingOf(id, evidence), evidence, today), allowanceOf(evidence));
      return [id, "value" in worked ? worked.value : judgementOf(id, notTested(whyNot(worked)), evidence, today)];
    })
  );
}
var allowanceOf = once((_) => ({ leftMs: MOST_IN_ALL_MS }));
function whyNot(worked) {
  return "problem" in worked ? failureOf(worked.problem) : `To judge it took more than ${worked.lateAfterSeconds} s: what the server sent is larger or more entangled than any settings are.`;
}
function unlessWithheld({ ofBodies }, finding, { exchanges, deliveries }) {
  if (!ofBodies || finding.notTested !== null) return finding;
  const judged2 = new Set(finding.evidence);
  const answers = exchanges.filter((exchange) => ofBodies === "all" || isAccepted(exchange));
  const bodies = [...answers.map(({ index, response }) => ({ index, body: response?.body ?? "" })), ...deliveries];
  const isSeen = !bodies.some(({ index, body }) => judged2.has(index) && withheldIn(body));
  return unlessUnseen(finding, isSeen ? null : WITHHELD);
}
function unlessSilenced({ needs: needs2 }, finding, evidence) {
  const isNeeded = ({ probe: probe2 }) => needs2.some((need) => need === probe2.group && catalogue[need].key === "none");
  const answered = new Set(whileServing(evidence).exchanges.map(({ probe: probe2 }) => nameOf(probe2)));
  const silenced = evidence.exchanges.filter((exchange) => isNeeded(exchange) && !answered.has(nameOf(exchange.probe)));
  const why = silenced.length === 0 ? null : whyNotServing(evidence);
  const count = new Set(silenced.map(({ probe: probe2 }) => nameOf(probe2))).size;
  return unlessUnseen(
    finding,
    why && `${count} of these requests got no answer of the server itself: ${why}.`,
    silenced.map(({ index }) => index)
  );
}
function findingOf(id, evidence) {
  const why = whyUnjudged(id, evidence);
  if (why !== null) return notTested(why);
  const rule = ruleOf(id);
  if (rule.ofTheWholeRun) return rule.judge(evidence);
  const finding = unlessSilenced(rule, unlessWithheld(rule, rule.judge(whileServing(evidence)), evidence), evidence);
  const notServing = finding.notTested === null ? null : whyNotServing(evidence);
  return notServing !== null && rule.judge(evidence).notTested === null ? notTested(notServing) : finding;
}

// .replay-check-27114.ts
var dir = "/tmp/base/ev";
var part = process.argv[2] ?? "";
var n = 0;
var changed = 0;
var tally = {};
for (const file of (0, import_node_fs2.readdirSync)(dir).filter((f) => f.endsWith(".json") && f.includes(part)).filter((_, i) => part !== "" || process.env.FULL || i % 4 === Math.floor(Date.now() / 1e3) % 4)) {
  const was = JSON.parse((0, import_node_fs2.readFileSync)(`${dir}/${file}`, "utf8"));
  const { evidence } = fromHar((0, import_node_fs2.readFileSync)(`${dir}/${file.replace(/json$/, "har")}`, "utf8"), file);
  const now = judgementsOf(was.judgements.map((j) => j.id), evidence, "2026-01-01");
  n += 1;
  const diffs = was.judgements.filter((j) => now.get(j.id)?.verdict !== j.verdict);
  if (diffs.length) {
    changed += 1;
    for (const d of diffs) {
      const x = now.get(d.id);
      const k = `${d.id} ${d.verdict}->${x.verdict}`;
      tally[k] = (tally[k] ?? 0) + 1;
      console.log(`${file.replace(".json", "")}: ${k}  NOW: ${x.reason}  WAS: ${d.reason}`);
    }
  }
}
console.log(tally);
console.log(`${n} replayed, ${changed} with another verdict`);
