"""What eth-account and web3.py make of Treemark: reads one JSON document on standard input, answers one on standard output."""
import json
import sys

from eth_account import Account
from eth_account.messages import encode_defunct
from web3 import Web3

asked = json.load(sys.stdin)
answer = {}
if "sign" in asked:
    signed = Account.sign_message(encode_defunct(text=asked["sign"]), asked["key"])
    answer["signature"] = signed.signature.to_0x_hex()
if "recover" in asked:
    answer["signer"] = Account.recover_message(encode_defunct(text=asked["recover"]), signature=asked["signature"])
if "rpc" in asked:
    web3 = Web3(Web3.HTTPProvider(asked["rpc"]))
    contract = web3.eth.contract(address=asked["contract"], abi=asked["abi"])
    found = contract.events.Commit.get_logs(from_block=0, argument_filters={"recorder": asked["recorder"]})
    answer["commits"] = [
        {"txHash": log.transactionHash.to_0x_hex(), "recorder": log.args.recorder, "commitData": log.args.commitData}
        for log in found
    ]
    answer["balance"] = str(web3.eth.get_balance(asked["recorder"]))
json.dump(answer, sys.stdout)
