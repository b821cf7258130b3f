package table
import ("testing";"os")
func TestZZ(t *testing.T){ os.RemoveAll("/tmp/tblwork/ex"); if err:=WriteDir("/tmp/tblwork/ex", exampleSet()); err!=nil {t.Fatal(err)}; os.RemoveAll("/tmp/tblwork/empty"); if err:=WriteDir("/tmp/tblwork/empty", NewSet()); err!=nil {t.Fatal(err)} 
 s:=exampleSet(); for _,r:=range s.Tables(){ f,_:=os.Create("/tmp/tblwork/ex-"+r.Schema().Name+".arrows"); if err:=WriteIPC(f,s,r); err!=nil{t.Fatal(err)}; f.Close()}
}
