"""Ids of texts by Hugging Face's own tokenizers: python tokenizer_ids.py TEXTS.json NAME=tokenizer.json … > tokenizer-ids.json

TEXTS.json is a list of strings. The committed file was made with tokenizers 0.22.1 on Python 3.11; see tokenizer-ids.test.ts.
"""
import json
import sys

from tokenizers import Tokenizer, __version__

with open(sys.argv[1], encoding="utf-8") as file:
    texts = json.load(file)
ids = {}
for pair in sys.argv[2:]:
    name, path = pair.split("=", 1)
    tokenizer = Tokenizer.from_file(path)
    ids[name] = [encoding.ids for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)]
json.dump({"tokenizers": __version__, "texts": texts, "ids": ids}, sys.stdout, ensure_ascii=True, separators=(",", ":"))
sys.stdout.write("\n")
