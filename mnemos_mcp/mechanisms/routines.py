"""Routine utterances: what a coding agent hears all day, so it is predicted. At most 100, own wording, from no test set."""
from __future__ import annotations

ROUTINES: tuple[str, ...] = (
    # English
    "yes", "no", "ok, continue", "go ahead", "thanks, that works", "looks good to me", "sounds good", "perfect, thank you", "great, what's next?", "try again",
    "run the tests", "run it again and show me the output", "fix the failing test", "fix this error", "commit and push the changes", "open a pull request", "revert that change",
    "can you explain this code?", "why is this failing?", "what does this function do?", "where is this defined?", "show me the diff", "show me the file", "add a test for this",
    "rename this variable", "refactor this function", "clean this up a bit", "let me check", "let me run it first", "I'll take a look", "wait a moment", "it works now", "it still doesn't work",
    "the build passes", "here is the error message", "let's move on to the next step", "good morning", "see you tomorrow",
    # German
    "ja, mach weiter", "ok, danke", "sieht gut aus", "das funktioniert jetzt", "es geht immer noch nicht", "lass die Tests laufen", "zeig mir den Code", "kannst du das erklären?", "warum schlägt das fehl?",
    "was macht diese Funktion?", "behebe diesen Fehler", "committe und pushe das", "mach das rückgängig", "ich schaue es mir an", "was kommt als Nächstes?",
    # French
    "oui, continue", "d'accord, merci", "ça a l'air bien", "ça marche maintenant", "ça ne marche toujours pas", "lance les tests", "montre-moi le code", "tu peux expliquer ça ?", "pourquoi ça échoue ?",
    "que fait cette fonction ?", "corrige cette erreur", "commite et pousse", "annule ce changement", "je regarde", "on passe à la suite ?",
    # Spanish
    "sí, continúa", "vale, gracias", "se ve bien", "ahora funciona", "sigue sin funcionar", "ejecuta las pruebas", "muéstrame el código", "¿puedes explicarlo?", "¿por qué falla?",
    "¿qué hace esta función?", "arregla este error", "haz commit y push", "deshaz ese cambio", "lo miro ahora", "¿qué sigue?",
    # Chinese
    "好的，继续", "谢谢", "看起来不错", "现在可以了", "还是不行", "运行测试", "给我看代码", "能解释一下吗？", "为什么失败了？", "这个函数是做什么的？", "修复这个错误", "提交并推送", "撤销这个改动", "我看一下", "下一步是什么？",
)
