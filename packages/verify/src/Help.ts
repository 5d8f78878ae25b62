/** The texts of `--help` and `--completions`. */
import type { Shell } from "./Arguments.ts"

export const HELP = `treemark-verify checks who signed an asset tree, offline. It opens no connection and needs no configuration.

Usage
  treemark-verify PROOF                                   a proof file, or a page (.html) with a proof inside
  treemark-verify TREE --record COMMIT.json               an asset tree and its commit record
  treemark-verify TREE --sha256 HEX --signature HEX       an asset tree, its checksum and signature
  treemark-verify --record COMMIT.json                    a commit record alone (at most unconfirmed)
  treemark-verify bulk FILE|FOLDER|-                      many proofs on all cores; see treemark-verify bulk --help
  treemark-verify history FOLDER|CAR                      an exported history of an asset; see history --help
  treemark-verify statement FILE                          a statement of an account; see statement --help
A file may be - for standard input. Without installing anything: npx @treemark/verify PROOF

Options
  --asset FILE         check the asset's own bytes, too
  --author 0x…         whose signature you expect
  --authors FILE       whom you know: addresses with names and dates; the signer is looked up there
  --checkpoint FILE    block hashes that you trust; the commit's block is compared (may be given several times)
  --quorum N           a block counts when N different witnesses signed checkpoints that have it
  --contract ID:0x…    a commit contract that you trust, with its chain's id (may be given several times)
  --json               print the report as JSON, and nothing else
  --explain            show how each check is made, how to repeat it with other tools, and what may have gone wrong
  --backend NAME       whose curve arithmetic: noble (the default), wasm, native or auto; the report then names it
  --completions SHELL  print completions for bash, zsh or fish
  -h, --help           print this text
  -V, --version        print the version

Exit codes
  0  valid        everything holds and the signer is the author (or the one named with --author)
  1  invalid      something does not hold
  2  unusable     the input or the command line cannot be used
  3  unconfirmed  checksum and signature hold, but the signer is not the author, or nobody was named

Examples
  treemark-verify photo.proof.json
  treemark-verify photo.proof.json --asset photo.jpg --author 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed
  treemark-verify photo.proof.json --authors studio.authors --checkpoint mainnet.checkpoint.json
  treemark-verify tree.json --record commit.json --json | jq .verdict
  curl -s https://example.org/photo.proof.json | treemark-verify -
`

const BASH = `_treemark_verify() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  case $previous in
    --sha256|--signature|--author|--quorum|--contract) return ;;
    --completions) COMPREPLY=($(compgen -W "bash zsh fish" -- "$current")); return ;;
    --backend) COMPREPLY=($(compgen -W "auto noble wasm native" -- "$current")); return ;;
  esac
  local words=
  [[ $COMP_CWORD == 1 ]] && words="bulk history statement"
  if [[ $current == -* && $previous != --record && $previous != --asset && $previous != --authors && $previous != --checkpoint ]]; then
    COMPREPLY=($(compgen -W "--record --sha256 --signature --asset --author --authors --checkpoint --quorum --contract --backend --json --explain --completions --help --version" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _treemark_verify treemark-verify
`

const ZSH = `#compdef treemark-verify
_arguments \\
  '--record[commit record of the tree]:commit record:_files' \\
  '--sha256[checksum of the tree]:64 hex digits:' \\
  '--signature[signature of the checksum]:signature:' \\
  '--asset[check the asset too]:asset:_files' \\
  '--author[whose signature is expected]:address:' \\
  '--authors[whom you know]:authors file:_files' \\
  '*--checkpoint[block hashes that you trust]:checkpoint:_files' \\
  '--quorum[witnesses that must have signed for a block]:number:' \\
  '*--contract[a commit contract that you trust]:CHAINID\\:0x…:' \\
  '--json[print the report as JSON]' \\
  '--explain[show how each check is made]' \\
  '--backend[whose curve arithmetic]:backend:(auto noble wasm native)' \\
  '--completions[print completions]:shell:(bash zsh fish)' \\
  '(-h --help)'{-h,--help}'[print help]' \\
  '(-V --version)'{-V,--version}'[print the version]' \\
  '1:proof, tree or command:{_files; compadd bulk history statement}' \\
  '*:file:_files'
`

const FISH = `complete -c treemark-verify -l record -r -F -d 'commit record of the tree'
complete -c treemark-verify -l sha256 -x -d 'checksum of the tree'
complete -c treemark-verify -l signature -x -d 'signature of the checksum'
complete -c treemark-verify -l asset -r -F -d 'check the asset too'
complete -c treemark-verify -l author -x -d 'whose signature is expected'
complete -c treemark-verify -l authors -r -F -d 'whom you know'
complete -c treemark-verify -l checkpoint -r -F -d 'block hashes that you trust'
complete -c treemark-verify -l quorum -x -d 'witnesses that must have signed for a block'
complete -c treemark-verify -l contract -x -d 'a commit contract that you trust'
complete -c treemark-verify -l backend -x -a 'auto noble wasm native' -d 'whose curve arithmetic'
complete -c treemark-verify -n __fish_is_first_token -a 'bulk history statement' -d 'a command'
complete -c treemark-verify -l json -d 'print the report as JSON'
complete -c treemark-verify -l explain -d 'show how each check is made'
complete -c treemark-verify -l completions -x -a 'bash zsh fish' -d 'print completions'
complete -c treemark-verify -s h -l help -d 'print help'
complete -c treemark-verify -s V -l version -d 'print the version'
`

export const COMPLETIONS: Record<Shell, string> = { bash: BASH, zsh: ZSH, fish: FISH }
